"""Markdown that holds strangers' text: nothing in it links, loads, mentions, closes or runs.

Text of the model, of tests and of the repository reaches people in two forms only: `fence`, where Markdown has no
power, and `quote`, where whatever has power is split by a zero-width space. Secrets are redacted in both.
"""

import re
from collections.abc import Sequence

from agent.redaction import redact
from agent.unseen import without_unseen

ZERO_WIDTH = "\u200b"
FENCE_LINE = re.compile(r"^([^\S\n]*(?:[-*+>][^\S\n]*|\d+[.)][^\S\n]*)*)(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$", re.MULTILINE)
EMPHASIS = re.compile(r"(`[^`]*`)|[*~\\]|(?<![^\W_])_|_(?![^\W_])")
FORMATTING = re.compile(r"[*~`\\\[\]]|(?<![^\W_])_|_(?![^\W_])")
ACTIVE = (
    (re.compile(r"@(?=[\w-])"), "@"),  # mentions, mail addresses
    (re.compile(r"#(?=\d)"), "#"),  # issue references, and so closing words
    (re.compile(r"(?i)GH-(?=\d)"), "GH-"),
    (re.compile(r"(?i)www(?=\.)"), "www"),
    (re.compile(r":(?=//)"), ":"),  # bare addresses
    (re.compile(r"(?i)\bmailto(?=:)"), "mailto"),
    (re.compile(r"<(?=[A-Za-z/!?])"), "<"),  # HTML, comments, autolinks
    (re.compile(r"!(?=\[)"), "!"),  # images
    (re.compile(r"\](?=[\[(:])"), "]"),  # links and their definitions
    (re.compile(r"&(?=#|[A-Za-z])"), "&"),  # entities, which could spell any of these
    (re.compile(r"\$(?=\S)"), "$"),  # formulas
    (re.compile(r"\[(?=!)"), "["),  # alerts, which would speak in GitHub's own colours
    (re.compile(r"\[(?=[ xX]\])"), "["),  # tasks, which GitHub counts
    (re.compile(r"(?i)\[(?=[\w -]*\b(?:skip|ci)\b[\w -]*\])"), "["),  # "[skip ci]": a commit that no check looks at
    (re.compile(r"(?i)\*(?=\*\*NO_CI)"), "*"),  # the same, elsewhere
)


def clean(text: str) -> str:
    """Without secrets, terminal codes, characters that cannot be seen, and halves of surrogate pairs."""
    seen = without_unseen(text.replace("\r\n", "\n"))
    return redact(seen.encode("utf-8", "backslashreplace").decode("utf-8"))


def inert(text: str) -> str:
    """`text` as Markdown that only formats: no link, image, mention, reference, HTML or diagram."""
    result = FENCE_LINE.sub(r"\1\2", clean(text))
    for pattern, lead in ACTIVE:
        result = pattern.sub(lead + ZERO_WIDTH, result)
    return result


def plain(text: str, limit: int) -> str:
    """The first `limit` characters of `text`, inert and on one line, with names such as ``__init__.py`` as they are."""
    return EMPHASIS.sub(lambda found: found[1] or f"\\{found[0]}", inert(one_line(text, limit)))


def quote(text: str) -> str:
    """A block quote of `inert` text: whatever it leaves open ends with it."""
    return "\n".join(f"> {line}".rstrip() for line in inert(text).strip().split("\n"))


def fence(text: str, language: str = "") -> str:
    """A code block around `text`, longer than any run of backticks in it."""
    content = clean(text).strip("\n")
    longest = max((len(run) for run in re.findall("`+", content)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{content}\n{ticks}"


def code(text: str, limit: int = 200) -> str:
    """The first `limit` characters of `text` as one code span, on one line."""
    content = one_line(text, limit)
    longest = max((len(run) for run in re.findall("`+", content)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if content.startswith("`") or content.endswith("`") or not content else ""
    return f"{ticks}{pad}{content}{pad}{ticks}"


def html_code(text: str, limit: int = 200) -> str:
    """The first `limit` characters of `text` as code inside HTML: in a summary, where Markdown does not work, and on
    a line of Markdown, where it must not."""
    content = inert(one_line(text, limit)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<code>{FORMATTING.sub(lambda found: f'&#{ord(found[0])};', content)}</code>"


def folded(summary: str, content: str) -> str:
    """`content` behind one line. `summary` is HTML of ours."""
    return f"<details><summary>{summary}</summary>\n\n{content}\n\n</details>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are Markdown of ours; a bar in one ends none, in code neither."""
    cells = [[cell.replace("|", "\\|") for cell in line] for line in (head, *rows)]
    lines = [cells[0], ["---"] * len(head), *cells[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def sections(*parts: str) -> str:
    """The parts that say something, a blank line between them."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip())


def cut(text: str, limit: int, note: str = "") -> str:
    """`text`, cleaned before half of a secret could be cut away, within about `limit` bytes: its middle gives way to a
    note of how much."""
    content = clean(text).encode()
    if len(content) <= limit:
        return content.decode()
    half = max(limit // 2, 1)
    head, tail = content[:half].decode("utf-8", "ignore"), content[-half:].decode("utf-8", "ignore")
    return f"{head}\n[… {len(content) - 2 * half:,} bytes left out{note} …]\n{tail}"


def fit_lines(lines: Sequence[str], room: int, what: str) -> list[str]:
    """The first and the last of `lines` within `room` bytes, with a note of how many are left out between them."""
    half, head, tail = room // 2, list[str](), list[str]()
    if sum(size(line) + 2 for line in lines) <= room:
        return list(lines)
    for kept, source in ((head, iter(lines)), (tail, reversed(lines))):
        used = 0
        for line in source:
            used += size(line) + 2
            if used > half:
                break
            kept.append(line)
    left_out = len(lines) - len(head) - len(tail)
    return [*head, f"- … {left_out:,} {what} left out here", *reversed(tail)]


def one_line(text: str, limit: int) -> str:
    """The first `limit` characters of `text` on one line."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def size(text: str) -> int:
    """Bytes: GitHub counts characters, of which there are never more."""
    return len(text.encode("utf-8"))
