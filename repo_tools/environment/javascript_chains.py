"""The commands of a script's one line. Pure."""

import shlex


def split_chain(text: str) -> list[str]:
    """The commands of ``a && b; c``, each without what it is piped into. An open quote: all of it as one."""
    lexer = shlex.shlex(text, posix=False, punctuation_chars="&|;")
    lexer.whitespace_split = True
    lexer.commenters = ""
    parts: list[list[str]] = [[]]
    piped = False
    try:
        for word in lexer:
            if set(word) <= set("&|;"):
                piped = word == "|"
                parts += [] if piped else [[]]
            elif not piped:
                parts[-1].append(word)
    except ValueError:
        return [text]
    return [" ".join(words) for words in parts if words]
