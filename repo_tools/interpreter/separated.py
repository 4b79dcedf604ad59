"""Text files of separated values: how one is written, and of what type its columns are.

Runs inside a box too (Python 3.8 or later, standard library only).
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple, TextIO

SEPARATED = {".csv": ",;\t|", ".tsv": "\t", ".tab": "\t"}
PACKED = ".gz"
SAMPLE_CHARACTERS = 1 << 16
SAMPLE_ROWS = 100
SAMPLE_VALUES = 200
BATCH_CELLS = 50_000
BATCH_CHARACTERS = 1 << 24
WHOLE = re.compile(r"[+-]?(?:0|[1-9][0-9]*)")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
ZERO_FIRST = re.compile(r"[+-]?0[0-9]")  # postal codes and the like are no numbers
COMMA_NUMBER = re.compile(  # 1.234,5: where no comma separates
    r"[+-]?(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:\.[0-9]{3})+)(?:,[0-9]+)?"
)
WRITTEN_NUMBER = re.compile(  # as people write one: $1,234.50, 15 %, (3.00), 7,5 EUR, 1'000
    r"\(?[+\-\u2212]?[$\u20ac\u00a3\u00a5]? ?[+\-\u2212]?"
    r"(?:[0-9]{1,3}(?:[.,' \u00a0\u202f\u2019][0-9]{3})+|[0-9]+)(?:[.,][0-9]+)?"
    r"[ \u00a0]?(?:%|[$\u20ac\u00a3\u00a5]|[A-Z]{3})?[)-]?"
)
GUESSED = ("cp1252", "latin-1")  # encodings of what is no UTF-8 and has no mark: others give bytes other letters
LEAST, MOST = -(2**63), 2**63 - 1  # of INTEGER: https://www.sqlite.org/datatype3.html
EXACT_IN_REAL = 2**53
MOST_DIGITS = 20  # with a sign: more are in no range
QUOTED = re.compile(r'"[^"]*"')
TEXT, COMMA_REAL = "TEXT", "REAL with commas"
MISSING = frozenset(("NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "-nan", "-NaN", "NULL", "null", "None"))
"""Among numbers (https://pandas.pydata.org/docs/reference/api/pandas.read_csv.html, na_values)."""
NOTHING = MISSING | {""}
SEPARATOR_LINE = re.compile(r"sep=(.)", re.IGNORECASE)


class Form(NamedTuple):
    """How a file is written. `told`: its first line says only what separates the others, as Excel takes it. `spaced`:
    quotes follow a space."""

    encoding: str
    delimiter: str
    told: bool
    spaced: bool


class Guess(NamedTuple):
    """What is in the columns. `numbered`: the names begin one column later, as R writes tables whose rows have names.
    `odd` (place -> value): what keeps a column of numbers from being one. `commas` (likewise): of columns whose numbers
    have a decimal comma. `long` and `short`: rows with more values than there are names, and with fewer."""

    kinds: list[str]
    numbered: bool
    odd: dict[int, str]
    commas: dict[int, str]
    long: int
    short: int


class SlowError(ValueError):
    """There is no time to read a file to its end."""


def stored(values: Iterable[str], kind: str) -> list[str | None]:
    """The values of one column as its table holds them."""
    if kind == TEXT:
        return [value if value.strip() else None for value in values]
    texts = (value.strip() for value in values)
    if kind == COMMA_REAL:
        return [None if text in NOTHING else text.replace(".", "").replace(",", ".") for text in texts]
    return [None if text in NOTHING else text for text in texts]


class Column:
    """What its values have in common so far."""

    def __init__(self) -> None:
        self.seen = self.valued = False
        self.whole = self.number = self.comma_number = True
        self.is_long = False  # a whole number that REAL would round: an id, more likely than a quantity
        self.with_comma = ""  # the first number with a comma that parts no thousands
        self.is_text = False  # whatever comes
        self._sample: dict[str, bool] = {}  # its first values, and whether each is a number as it stands
        self._first_odd = ""

    def take(self, values: Iterable[str], comma: bool) -> None:
        if self.is_text and len(self._sample) >= SAMPLE_VALUES:
            return
        for text in map(str.strip, dict.fromkeys(values)):
            if text and not self.is_text:
                self._look(text, comma)
                self._first_odd = text if self.is_text else ""
            if len(self._sample) < SAMPLE_VALUES and text not in NOTHING:
                self._sample[text] = NUMBER.fullmatch(text) is not None

    def odd(self) -> str:
        """A value that keeps it from being one of numbers, which most of it look like; empty where there is none.
        Codes that begin with a zero are meant as they stand."""
        odd = self._first_odd or next((text for text, is_number in self._sample.items() if not is_number), "")
        if self.kind() != TEXT or NUMBER.fullmatch(odd):
            return ""
        alike = sum(is_number or WRITTEN_NUMBER.fullmatch(text) is not None for text, is_number in self._sample.items())
        return odd if 2 * alike > len(self._sample) else ""

    def _look(self, text: str, comma: bool) -> None:
        self.seen = True
        if text in MISSING:
            return
        self.valued = True
        if self.number:
            value = whole_number(text)
            self.whole = self.whole and value is not None and LEAST <= value <= MOST
            self.is_long = self.is_long or (value is not None and abs(value) > EXACT_IN_REAL)
            self.number = value is not None or (NUMBER.fullmatch(text) is not None and not ZERO_FIRST.match(text))
        if comma and self.comma_number:
            self.comma_number = COMMA_NUMBER.fullmatch(text) is not None
            if not self.with_comma and "," in text and len(text.partition(",")[2]) != 3:
                self.with_comma = text
        self.is_text = not self.number and not (comma and self.comma_number)

    def kind(self) -> str:
        if self.valued and self.number:
            return "INTEGER" if self.whole else TEXT if self.is_long else "REAL"
        return COMMA_REAL if self.comma_number and self.with_comma else TEXT


def whole_number(text: str) -> int | None:
    """None where it is none."""
    if not WHOLE.fullmatch(text):
        return None
    return int(text[: MOST_DIGITS + 1])  # longer ones are as much too large when they are cut


def guess(path: Path, written: Form, named: int, deadline: float) -> Guess:
    """INTEGER, REAL or TEXT, by every value of a column: of those with a name, and of those beyond them that hold a
    value somewhere. SlowError after `deadline`."""
    columns = [Column() for _ in range(named)]
    rows = long = short = longer = 0
    comma = written.delimiter != ","
    for batch in batches(body(path, written), deadline):
        rows += len(batch)
        short += sum(len(row) < named for row in batch)
        longer += sum(len(row) == named + 1 for row in batch)
        long += sum(any(map(str.strip, row[named:])) for row in batch if len(row) > named)
        for place, values in enumerate(zip_longest(*batch, fillvalue="")):
            if place == len(columns):
                columns.append(Column())
            columns[place].take(values, comma)
    while len(columns) > named and not columns[-1].seen:
        columns.pop()
    numbered = longer == rows and len(columns) == named + 1
    odd = {place: column.odd() for place, column in enumerate(columns) if column.odd()}
    kinds = [column.kind() for column in columns]
    commas = {place: column.with_comma for place, column in enumerate(columns) if kinds[place] == COMMA_REAL}
    return Guess(kinds, numbered, odd, commas, long, short)


def batches(
    rows: Iterable[list[str]], deadline: float, most_characters: int = BATCH_CHARACTERS
) -> Iterator[list[list[str]]]:
    """So many rows at once that they hold `BATCH_CELLS`, were each as long as the longest, and not more than so many
    characters. SlowError."""
    batch: list[list[str]] = []
    width = characters = 0
    for row in rows:
        width = max(width, len(row))
        characters += sum(map(len, row))
        if batch and ((len(batch) + 1) * width > BATCH_CELLS or characters > most_characters):
            yield batch
            if time.monotonic() > deadline:
                raise SlowError
            batch, width, characters = [], len(row), sum(map(len, row))
        batch.append(row)
    if batch:
        yield batch


def name_of(path: Path) -> Path:
    """Without what says that it is packed."""
    return path.with_suffix("") if path.suffix.lower() == PACKED else path


def form_of(path: Path, deadline: float) -> Form:
    """SlowError after `deadline`."""
    encoding = encoding_of(path, deadline)
    with opened(path, encoding) as file:
        sample = file.read(SAMPLE_CHARACTERS)
    first, _, rest = sample.partition("\n")
    if found := SEPARATOR_LINE.fullmatch(first.rstrip("\r")):
        return Form(encoding, found[1], True, is_spaced(rest, found[1]))
    delimiter = delimiter_of(sample, SEPARATED[name_of(path).suffix.lower()])
    return Form(encoding, delimiter, False, is_spaced(sample, delimiter))


def delimiter_of(sample: str, delimiters: str) -> str:
    """What cuts the first line into as many values as most, and most lines so; of equals, what the first line has most
    of. Where that is a title, which nothing cuts, it is what cuts the others into three or more: two may be one text
    with such a mark in it."""
    bare = QUOTED.sub("", io.StringIO(sample).readline())  # names in quotes may hold what separates nothing

    def merit(one: str) -> tuple[bool, int, int, int, int]:
        rows = csv.reader(io.StringIO(sample, newline=""), delimiter=one)
        found = [len(row) for row in islice(rows, SAMPLE_ROWS) if any(row)]
        lines, width = max(((count, width) for width, count in Counter(found).items()), default=(0, 0))
        if width < 2 or (width == 2 and found[0] == 1):
            return (False, 0, 0, 0, 0)
        return (found[0] == width, lines, width, bare.count(one), -delimiters.index(one))

    return max(delimiters, key=merit)


def is_spaced(sample: str, delimiter: str) -> bool:
    return delimiter not in " \t" and re.search(re.escape(delimiter) + ' +"(?!")', sample) is not None


def body(path: Path, written: Form) -> Iterator[list[str]]:
    rows = rows_of(path, written)
    next(rows, None)
    return rows


def rows_of(path: Path, written: Form) -> Iterator[list[str]]:
    """Lines that hold nothing are passed over."""
    with opened(path, written.encoding) as file:
        if written.told:
            file.readline()
        for row in csv.reader(file, delimiter=written.delimiter, skipinitialspace=written.spaced):
            if any(row):
                yield row


def opened(path: Path, encoding: str) -> TextIO:
    return io.TextIOWrapper(opened_bytes(path), encoding, newline="")


def opened_bytes(path: Path) -> gzip.GzipFile | io.BufferedReader:
    return gzip.open(path) if path.suffix.lower() == PACKED else path.open("rb")


def encoding_of(path: Path, deadline: float) -> str:
    """By its mark, or the first that takes it; the last one takes any byte. ValueError where it is no text of bytes,
    SlowError after `deadline`."""
    with opened_bytes(path) as raw:
        first = raw.read(1_000)
    if first[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return "utf-32"
    if first[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    if b"\0" in first:
        raise ValueError("holds NUL bytes, as UTF-16 without a mark does: save it as UTF-8")
    for encoding in ("utf-8-sig", GUESSED[0]):
        try:
            with opened(path, encoding) as file:
                while file.read(1 << 20):
                    if time.monotonic() > deadline:
                        raise SlowError
        except UnicodeDecodeError:
            continue
        return encoding
    return GUESSED[1]


csv.field_size_limit(1 << 30)
