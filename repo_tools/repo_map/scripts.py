"""The scripts of components of Vue and Svelte, which are markup around code."""

import re

_OPENS = rb"""(?i)<script\b(?:[^<>"']|"[^"\n]{0,300}"|'[^'\n]{0,300}'){0,300}+(?<!/)>"""
"""But for one that only names a file, and so ends at once."""
_CLOSES = rb"(?i)</script\s*>"
_BLANK = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))


def only_scripts(content: bytes) -> bytes:
    """Blanks in place of everything else. Nothing moves."""
    opens, closes = re.compile(_OPENS), re.compile(_CLOSES)
    kept, end = [], 0
    while (opening := opens.search(content, end)) and (closing := closes.search(content, opening.end())):
        start, stop = opening.end(), closing.start()
        kept += [content[end:start].translate(_BLANK), content[start:stop]]
        end = stop
    return b"".join([*kept, content[end:].translate(_BLANK)])
