"""Text files of separated values: how one is written, and of what type its columns are.

Runs inside a box too (Python 3.8 or later, standard library only).
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SEPARATED = {".csv": ",;\t|", ".tsv": "\t", ".tab": "\t"}
WHOLE = re.compile(r"[+-]?(?:0|[1-9][0-9]*)")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
ZERO_FIRST = re.compile(r"[+-]?0[0-9]")  # postal codes and the like are no numbers
COMMA_NUMBER = re.compile(  # 1.234,5: where `;` separates
    r"[+-]?(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:\.[0-9]{3})+)(?:,[0-9]+)?"
)
GUESSED = ("cp1252", "latin-1")  # encodings of what is no UTF-8 and has no mark: others give bytes other letters
LEAST, MOST = -(2**63), 2**63 - 1  # of INTEGER: https://www.sqlite.org/datatype3.html
EXACT_IN_REAL = 2**53
MOST_DIGITS = 20  # with a sign: more are in no range
QUOTED = re.compile(r'"[^"]*"')
TEXT, COMMA_REAL = "TEXT", "REAL with commas"
MISSING = frozenset(("NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "-nan", "-NaN", "NULL", "null", "None"))
"""Among numbers (https://pandas.pydata.org/docs/reference/api/pandas.read_csv.html, na_values)."""
SEPARATOR_LINE = re.compile(r"sep=(.)", re.IGNORECASE)


class Form(NamedTuple):
    """How a file is written. `told`: its first line says only what separates the others, as Excel takes it."""

    encoding: str
    delimiter: str
    told: bool


def stored(value: str, kind: str) -> str | None:
    text = value.strip()
    if not text or (kind != TEXT and text in MISSING):
        return None
    if kind == COMMA_REAL:
        return text.replace(".", "").replace(",", ".")
    return value if kind == TEXT else text


class Column:
    """What its values have in common so far."""

    def __init__(self) -> None:
        self.seen = self.valued = False
        self.whole = self.number = self.comma_number = True
        self.is_long = False  # a whole number that REAL would round: an id, more likely than a quantity
        self.has_comma = False
        self.is_text = False  # whatever comes

    def take(self, text: str, comma: bool) -> None:
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
            self.has_comma = self.has_comma or ("," in text and len(text.partition(",")[2]) != 3)
        self.is_text = not self.number and not (comma and self.comma_number)

    def kind(self) -> str:
        if self.valued and self.number:
            return "INTEGER" if self.whole else TEXT if self.is_long else "REAL"
        return COMMA_REAL if self.comma_number and self.has_comma else TEXT


def whole_number(text: str) -> int | None:
    """None where it is none."""
    if not WHOLE.fullmatch(text):
        return None
    return int(text[: MOST_DIGITS + 1])  # longer ones are as much too large when they are cut


def guess(path: Path, written: Form, named: int) -> tuple[list[str], bool]:
    """INTEGER, REAL or TEXT, by every value of a column: of those with a name, and of those beyond them that hold a
    value somewhere. And whether the names begin one column later, as R writes tables whose rows have names."""
    columns = [Column() for _ in range(named)]
    all_longer = True
    comma = written.delimiter == ";"
    for row in body(path, written):
        all_longer = all_longer and len(row) == named + 1
        for place, value in enumerate(row):
            if place == len(columns):
                columns.append(Column())
            column = columns[place]
            if not column.is_text and (text := value.strip()):
                column.take(text, comma)
    while len(columns) > named and not columns[-1].seen:
        columns.pop()
    return [column.kind() for column in columns], all_longer and len(columns) == named + 1


def fitted(row: list[str], columns: int) -> list[str]:
    return (row + [""] * (columns - len(row)))[:columns]


def form_of(path: Path) -> Form:
    encoding = encoding_of(path)
    with path.open(encoding=encoding, newline="") as file:
        first = file.readline()
    if found := SEPARATOR_LINE.fullmatch(first.rstrip("\r\n")):
        return Form(encoding, found[1], told=True)
    delimiters = SEPARATED[path.suffix.lower()]
    bare = QUOTED.sub("", first)  # names in quotes may hold what separates nothing
    return Form(encoding, max(delimiters, key=lambda one: (bare.count(one), -delimiters.index(one))), told=False)


def body(path: Path, written: Form) -> Iterator[list[str]]:
    rows = rows_of(path, written)
    next(rows, None)
    return rows


def rows_of(path: Path, written: Form) -> Iterator[list[str]]:
    """Lines that hold nothing are passed over."""
    with path.open(encoding=written.encoding, newline="") as file:
        if written.told:
            file.readline()
        for row in csv.reader(file, delimiter=written.delimiter):
            if any(row):
                yield row


def encoding_of(path: Path) -> str:
    """By its mark, or the first that takes it; the last one takes any byte. ValueError where it is no text of bytes."""
    with path.open("rb") as raw:
        first = raw.read(1_000)
    if first[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return "utf-32"
    if first[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    if b"\0" in first:
        raise ValueError("holds NUL bytes, as UTF-16 without a mark does: save it as UTF-8")
    for encoding in ("utf-8-sig", GUESSED[0]):
        try:
            with path.open(encoding=encoding) as file:
                while file.read(1 << 20):
                    pass
        except UnicodeDecodeError:
            continue
        return encoding
    return GUESSED[1]


csv.field_size_limit(1 << 30)
