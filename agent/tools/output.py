"""Long outputs, made to fit."""


def shorten(text: str, limit: int) -> str:
    """`text`, or its head and tail with a note of what was cut from the middle. `limit` is in characters; the note
    comes on top of it."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit // 2], text[len(text) - (limit - limit // 2) :]
    cut = text[len(head) : len(text) - len(tail)]
    return f"{head}\n[… {len(cut)} characters, {cut.count(chr(10))} line ends cut here …]\n{tail}"
