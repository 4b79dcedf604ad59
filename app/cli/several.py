"""Options that take as many files as a shell makes of a pattern: `--data *.csv`."""

from collections.abc import Iterable, Iterator
from typing import Any

from typer.core import TyperCommand

OPTIONS = frozenset({"--tests", "--data"})


class SeveralFiles(TyperCommand):
    """Gives each file the option that stands before the first one, as click wants it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(each_with_its_option(args)))


def each_with_its_option(words: Iterable[str]) -> Iterator[str]:
    """``--data a b`` as ``--data a --data b``. Words that no option of these comes before stay as they are."""
    option, has_value = "", False
    for word in words:
        if word.startswith("-"):
            option, _, value = word.partition("=")
            has_value = bool(value)
        elif has_value and option in OPTIONS:
            yield option
        else:
            has_value = True
        yield word
