"""SQL on data files, in a box that is a folder."""

import gzip
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from repo_tools.interpreter.contract import QueryRefusedError, QueryResult
from repo_tools.interpreter.separated import batches
from repo_tools.interpreter.tables import BoxTables
from tests.support.folder_box import FolderBox
from tests.support.long import first_of

NULLS = ("NULL", "NULL")
SALES = b"region,units,price,code,day\nnorth,3,1.5,007,2026-01-01\nsouth,,2,010,2026-01-02\nnorth,4,.5,011,\n"


@pytest.fixture
def box() -> Iterator[FolderBox]:
    with FolderBox() as box:
        box.write("/workspace/data/sales.csv", SALES)
        yield box


@pytest.fixture
def tables(box: FolderBox) -> BoxTables:
    tables = BoxTables(box, "data", sys.executable)
    tables._store = str(box.root / "tmp" / "store.sqlite")  # the folder box maps no path inside of a question
    return tables


def ask(tables: BoxTables, query: str, max_rows: int = 50) -> QueryResult:
    return tables.query(query, max_rows=max_rows, timeout_seconds=30)


def test_a_csv_file_is_a_table_named_after_it(tables: BoxTables) -> None:
    found = ask(tables, "SELECT region, sum(units) AS units FROM sales GROUP BY region ORDER BY region")
    assert found == QueryResult(("region", "units"), (("north", "7"), ("south", "NULL")))


def test_types_are_guessed_from_every_value(tables: BoxTables) -> None:
    found = ask(tables, "SELECT typeof(units), typeof(price), typeof(code), typeof(day), day FROM sales")
    assert found.rows[0] == ("integer", "real", "text", "text", "2026-01-01")
    assert found.rows[1][0] == "null"
    assert found.rows[2] == ("integer", "real", "text", "null", "NULL")


def test_the_rows_are_bounded_and_the_result_says_so(tables: BoxTables) -> None:
    assert ask(tables, "SELECT 1 FROM sales", max_rows=2) == QueryResult(("1",), (("1",), ("1",)), more=True)
    assert not ask(tables, "SELECT 1 FROM sales", max_rows=3).more


def test_long_values_are_cut(tables: BoxTables) -> None:
    ((value,),) = ask(tables, "SELECT hex(zeroblob(10000))").rows
    assert value == "0" * 500 + "..."


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM sales",
        "DROP TABLE sales",
        "CREATE TABLE t (a)",
        "ATTACH '/tmp/other.db' AS other",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('evil.so')",
        "SELECT 1; SELECT 2",
        "CREATE TEMP TABLE t AS SELECT 1",
        "CREATE VIRTUAL TABLE t USING fts5(a)",
        "VACUUM INTO '/tmp/other.db'",
    ],
)
def test_whatever_is_not_one_reading_query_is_refused(tables: BoxTables, query: str) -> None:
    with pytest.raises(QueryRefusedError, match="only one query that reads is answered"):
        ask(tables, query)
    assert ask(tables, "SELECT count(*) FROM sales").rows == (("3",),)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("PRAGMA table_info(sales)", "region"),
        ("SELECT * FROM pragma_table_info('sales')", "region"),
        ("SELECT j.key, j.value FROM json_each('[1]') j", "1"),
    ],
)
def test_questions_about_the_tables_and_functions_that_are_tables_are_answered(
    tables: BoxTables, query: str, expected: str
) -> None:
    assert ask(tables, query).rows[0][1] == expected


def test_full_text_search_and_computed_columns_of_a_sqlite_file_are_there(tables: BoxTables, box: FolderBox) -> None:
    with closing(sqlite3.connect(box.root / "workspace" / "data" / "notes.db")) as connection:
        connection.execute("CREATE VIRTUAL TABLE notes USING fts5(body)")
        connection.execute("INSERT INTO notes VALUES ('hello world')")
        connection.execute("CREATE TABLE sums (a, twice GENERATED ALWAYS AS (2 * a))")
        connection.commit()
    assert ask(tables, "SELECT body FROM notes.notes WHERE notes MATCH 'hello'").rows == (("hello world",),)
    with pytest.raises(QueryRefusedError) as told:
        ask(tables, "SELECT * FROM nowhere")
    assert '"notes"."sums"("a", "twice")' in str(told.value)
    assert '"notes"."notes"("body")' in str(told.value)


def test_a_mistake_is_answered_with_the_tables_that_there_are(tables: BoxTables) -> None:
    with pytest.raises(QueryRefusedError, match="no such table: sale\n") as caught:
        ask(tables, "SELECT * FROM sale")
    assert '"sales"("region" TEXT, "units" INTEGER, "price" REAL, "code" TEXT, "day" TEXT)' in str(caught.value)


def test_a_sqlite_file_is_a_schema_of_its_own_and_stays_as_it_is(tables: BoxTables, box: FolderBox) -> None:
    path = box.root / "workspace" / "data" / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
        connection.execute("INSERT INTO customers VALUES ('Ada')")
    connection.close()
    before = path.read_bytes()
    assert ask(tables, "SELECT name FROM shop.customers").rows == (("Ada",),)
    assert ask(tables, "SELECT c.name, s.units FROM customers c, sales s WHERE s.code = '007'").rows == (("Ada", "3"),)
    with pytest.raises(QueryRefusedError):
        ask(tables, "DELETE FROM shop.customers")
    assert path.read_bytes() == before


def test_a_file_that_changed_is_read_again(tables: BoxTables, box: FolderBox) -> None:
    assert ask(tables, "SELECT count(*) FROM sales").rows == (("3",),)
    box.write("/workspace/data/sales.csv", b"region\nwest\n")
    assert ask(tables, "SELECT * FROM sales").rows == (("west",),)
    box.delete("/workspace/data/sales.csv")
    with pytest.raises(QueryRefusedError, match="no such table: sales\nTables:\nnone"):
        ask(tables, "SELECT * FROM sales")


def test_what_takes_too_long_to_be_read_is_told_as_that_and_leaves_the_time_of_the_next_query_to_the_others(
    tables: BoxTables, box: FolderBox
) -> None:
    box.write("/workspace/data/big.csv", b"a,b,c\n" + b"1,2,3\n" * 200_000)
    told = "big.csv: is no table: reading it takes longer than 0 seconds; see run_python"
    with pytest.raises(QueryRefusedError) as first:
        tables.query("SELECT * FROM sales", max_rows=1, timeout_seconds=30, reading_seconds=0.02)
    assert told in str(first.value)
    assert "sales.csv: there was no time to read it: ask again" in str(first.value)
    found = ask(tables, "SELECT count(*) FROM sales")
    assert (found.rows, found.doubts) == ((("3",),), (told,))


def test_a_reading_that_was_killed_leaves_nothing_behind(tables: BoxTables) -> None:
    with closing(sqlite3.connect(tables._store)) as connection:
        connection.execute("CREATE TABLE sales (half)")
        connection.commit()
    assert ask(tables, "SELECT count(region) FROM sales").rows == (("3",),)


def test_a_packed_file_without_end_takes_no_more_than_the_time_there_is(tables: BoxTables, box: FolderBox) -> None:
    box.write("/workspace/data/bomb.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 50_000_000, 1))
    begun = time.monotonic()
    with pytest.raises(QueryRefusedError, match="reading it takes longer than 0 seconds"):
        tables.query("SELECT * FROM bomb", max_rows=1, timeout_seconds=30, reading_seconds=0.1)
    assert time.monotonic() - begun < 20  # all of it would take longer


@pytest.mark.parametrize(("limit", "tries"), first_of([("-t 1", 2), ("-v 150000", 0)]), ids=["killed", "out of memory"])
def test_a_file_that_ends_its_reading_leaves_the_others_to_be_asked(
    tables: BoxTables, box: FolderBox, tmp_path: Path, limit: str, tries: int
) -> None:
    box.write("/workspace/data/line.csv.gz", gzip.compress(b"a\n" + b"x" * 300_000_000, 1))
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nulimit {limit}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    tables._python = str(python)
    for _ in range(tries):
        with pytest.raises(QueryRefusedError, match=r"could not be read|more memory"):
            ask(tables, "SELECT count(*) FROM sales")
    assert ask(tables, "SELECT count(*) FROM sales").rows == (("3",),)


def test_of_very_wide_rows_there_are_as_many_as_can_be_shown(tables: BoxTables, box: FolderBox) -> None:
    line = b",".join([b"twenty letters each"] * 2_000) + b"\n"
    box.write("/workspace/data/wide.csv", line * 120)
    found = ask(tables, "SELECT * FROM wide", max_rows=100)
    assert (len(found.columns), len(found.rows), found.more) == (2_000, 5, True)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("semi.csv", b"a;b\n1;x,5\n", (("a", "b"), (("1", "x,5"),))),
        ("comma.csv", b"a;b\n1;1.234,56\n;2\nNA;NA\n", (("a", "b"), (("1", "1234.56"), ("NULL", "2.0"), NULLS))),
        ("either.csv", b"a;b\n1;1,250\n", (("a", "b"), (("1", "1,250"),))),
        ("na.csv", b"a,b\n1,NA\nNaN,x\n2.5,x\n", (("a", "b"), (("1.0", "NA"), ("NULL", "x"), ("2.5", "x")))),
        ("none.csv", b"a\nNA\n", (("a",), (("NA",),))),
        ("excel.csv", b"sep=|\r\na|b\r\n1|x;y\r\n", (("a", "b"), (("1", "x;y"),))),
        ("windows.csv", "preis\n5 €\n".encode("cp1252"), (("preis",), (("5 €",),))),
        ("tabs.tsv", b"a\tb\n1\tx,y\n", (("a", "b"), (("1", "x,y"),))),
        ("marked.csv", "\ufeffgröße\r\n\r\nä\r\n".encode(), (("größe",), (("ä",),))),
        ("latin.csv", "stadt\nKöln\n".encode("latin-1"), (("stadt",), (("Köln",),))),
        ("quoted.csv", b'a,b\n"x, ""y""\nz",2\n', (("a", "b"), (('x, "y"\nz', "2"),))),
        (
            "ragged.csv",
            b"a,,a\n1\n1,2,3,4\n",
            (("a", "column_2", "a_2", "column_4"), (("1", "NULL", "NULL", "NULL"), ("1", "2", "3", "4"))),
        ),
        ("trailing.csv", b"a,b\n1,2,\n3,4,\n", (("a", "b"), (("1", "2"), ("3", "4")))),
        (
            "r.csv",
            b"mpg,cyl\nMazda,21.5,6\nFiat,32,4\n",
            (("column_1", "mpg", "cyl"), (("Mazda", "21.5", "6"), ("Fiat", "32.0", "4"))),
        ),
        ("unicode.csv", "a\tb\r\n1\tä\r\n".encode("utf-16"), (("a", "b"), (("1", "ä"),))),
        ("header.csv", b"a,b\n", (("a", "b"), ())),
        ("wide.csv", "a\tb\n1\tä\n".encode("utf-32"), (("a", "b"), (("1", "ä"),))),
        (
            "names.csv",
            b'"Umsatz, netto, EUR";"Menge, Stk"\n1,5;2\n',
            (("Umsatz, netto, EUR", "Menge, Stk"), (("1.5", "2"),)),
        ),
        ("title.csv", b'"Region; land; sea",n\nx,1\n', (("Region; land; sea", "n"), (("x", "1"),))),
        (
            "title_above.csv",
            b"made 2026; by x\na,b\n1,2\n3,4\n",
            (("column_1", "made 2026; by x"), (("a", "b"), ("1", "2"), ("3", "4"))),
        ),
        ("text.csv", b"a;b\n1;x, y\n2;z\n", (("a", "b"), (("1", "x, y"), ("2", "z")))),
        ("quotes.csv", b'a, b, c\n1, "x, y", 2\n', (("a", "b", "c"), (("1", "x, y", "2"),))),
        ("german.tsv", b"a\tb\nx\t1.234,5\ny\t7,25\n", (("a", "b"), (("x", "1234.5"), ("y", "7.25")))),
        (
            "ragged.csv",
            b"a;b\nx;1,5\ny;2,5\nz;3,5\nsum\nmean\n",
            (("a", "b"), (("x", "1.5"), ("y", "2.5"), ("z", "3.5"), ("sum", "NULL"), ("mean", "NULL"))),
        ),
        (
            "lists.csv",
            b"id,tags,x\n1,a;b,\n2,c;d\n",
            (("id", "tags", "x"), (("1", "a;b", "NULL"), ("2", "c;d", "NULL"))),
        ),
        ("one.csv", b"text\na; b\nc; d\n", (("text",), (("a; b",), ("c; d",)))),
        (
            "told_above.csv",
            b"Sales of 2026\na;b;c\n1;2;3\n",
            (("Sales of 2026", "column_2", "column_3"), (("a", "b", "c"), ("1", "2", "3"))),
        ),
        ("packed.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0), (("a", "b"), (("1", "2"),))),
        ("spaced.csv", "n\n3\u00a0\n4 \n".encode(), (("n",), (("3",), ("4",)))),
    ],
)
def test_many_forms_of_separated_values_are_read(
    tables: BoxTables, box: FolderBox, name: str, content: bytes, expected: tuple[object, object]
) -> None:
    box.write(f"/workspace/data/{name}", content)
    found = ask(tables, f"SELECT * FROM {name.partition('.')[0]}")
    assert (found.columns, found.rows) == expected


@pytest.mark.parametrize(
    ("name", "content", "told"),
    first_of(
        [
            ("wide.csv", ",".join(f"c{n}" for n in range(2_001)).encode() + b"\n", "wide.csv: has 2,001 columns, and"),
            ("bad.csv", b"\xff\xfea", "bad.csv: "),
            ("nothing.csv", b"\n\n", "nothing.csv: holds no rows"),
            ("mute.csv", "a,b\n1,2\n".encode("utf-16-le"), "mute.csv: holds NUL bytes, as UTF-16 without a mark"),
            ("above.csv", b"# made by x\na,b,c\n1,2,3\n", "above.csv: most columns have no name in its first line"),
            ("open.csv", b'a,b\n1,"x\n' + b"2,y\n" * 200, "open.csv: one of its values has more than 100 lines"),
            (
                "bare.csv",
                b"1,2\n3,4\n",
                "bare.csv: its first line holds numbers alone, taken as the columns' names: no h",
            ),
            ("windows.csv", "a\n\u20ac\n".encode("cp1252"), "windows.csv: is no UTF-8; read as cp1252"),
            ("other.csv", "a\n\u3042\u3081\n".encode("shift_jis"), "other.csv: is no UTF-8; read as "),
            ("broken.db", b"SQLite format 3\0 and then nothing of the kind" * 100, "broken.db: file is not a database"),
            ("shifted.csv", b"a,b\n1,2\n3,x,4\n", "shifted.csv: 1 of its rows has more values than its first line has"),
            ("cut.csv", b"a,b\n1,2\n3\n", "cut.csv: 1 of its rows has fewer values than its first line has names"),
            (
                "longer.csv",
                b"a,b\n1,2,3\n",
                "longer.csv: its rows have one value more than its first line has names: the",
            ),
            ("us.csv", b'a\n"1,234.50"\n3\n', "us.csv: \"a\" is TEXT, for values like '1,234.50' among its numbers"),
            ("dollars.csv", b"a\n$1.50\n$2\n", "dollars.csv: \"a\" is TEXT, for values like '$1.50' among its numbers"),
            (
                "dash.csv",
                b"a\n" + b"1\n2\n3\n" * 300 + b"-\n",
                "dash.csv: \"a\" is TEXT, for values like '-' among its",
            ),
            ("many.csv", b"a,b,c,d,e,f\n" + b"5%," * 5 + b"5%\n", "many.csv: more such columns, with numbers: 1"),
            (
                "pairs.tsv",
                b"a\tb\n1\t1,2\n2\t3,4\n",
                "pairs.tsv: \"b\": the comma of values like '1,2' is taken for a decimal one",
            ),
            (
                "mixed.csv",
                b"a;b\n1.234;1,5\n",
                'mixed.csv: its numbers have commas in "b", and points in "a": which of them are decimal',
            ),
            ("cut.csv.gz", gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-9], "cut.csv.gz: "),
            ("odd.db", b"\1\2\3" * 999, "odd.db: no SQLite file, or an encrypted one; see run_python"),
            ("rows.json", b"[]", "rows.json: no table; see run_python"),
        ],
        always=5,
    ),
)
def test_a_file_that_is_no_table_is_told_and_leaves_the_others(
    tables: BoxTables, box: FolderBox, name: str, content: bytes, told: str
) -> None:
    box.write(f"/workspace/data/{name}", content)
    for _ in "twice":
        assert ask(tables, "SELECT count(*) FROM sales").rows == (("3",),)
        with pytest.raises(QueryRefusedError) as raised:
            ask(tables, "SELECT * FROM nowhere")
        assert told in str(raised.value)


@pytest.mark.parametrize(
    "content", [b"d\n31.12.2025\n01.02.2026\n", b"zip\n01234\n50667\n", b"n\nx\ny\n3\n", b"n\n1\nNA\n"]
)
def test_what_is_meant_as_it_stands_raises_no_doubt(tables: BoxTables, box: FolderBox, content: bytes) -> None:
    box.write("/workspace/data/fine.csv", content)
    assert ask(tables, "SELECT 1").doubts == ()


def test_long_values_are_held_by_the_few(tmp_path: Path) -> None:
    rows = [["x" * 1_000]] * 100
    assert [len(batch) for batch in batches(rows, float("inf"), most_characters=10_000)] == [10] * 10


def test_a_mistake_that_names_an_author_is_no_forbidden_query(tables: BoxTables) -> None:
    with pytest.raises(QueryRefusedError, match=r"^no such table: authors\n"):
        ask(tables, "SELECT * FROM authors")


def test_doubts_about_the_data_are_told_with_the_first_rows_and_again_when_it_changes(
    tables: BoxTables, box: FolderBox
) -> None:
    box.write("/workspace/data/open.csv", b'a,b\n1,"x\n' + b"2,y\n" * 200)
    told = ("open.csv: one of its values has more than 100 lines: a quote that is not closed?",)
    assert ask(tables, "SELECT count(*) FROM open") == QueryResult(("count(*)",), (("1",),), doubts=told)
    assert ask(tables, "SELECT 1").doubts == ()
    box.write("/workspace/data/sales.csv", b"region\nwest\n")
    assert ask(tables, "SELECT 1").doubts == told


@pytest.mark.parametrize(
    ("numbers", "kind", "expected"),
    [
        (("1234567890123456789", "1234567890123456788"), "INTEGER", ("2", "1234567890123456789")),
        (("-9223372036854775808", "9223372036854775807"), "INTEGER", ("2", "9223372036854775807")),
        (("12345678901234567890", "12345678901234567891"), "TEXT", ("2", "12345678901234567891")),
        (("9007199254740993", "9007199254740992", "1.5"), "TEXT", ("3", "9007199254740993")),
        (("1" * 6_000, "1.5"), "TEXT", ("2", "1" * 500 + "...")),
        (("1e18", "1.5"), "REAL", ("2", "1e+18")),
        (("٣", "٤"), "TEXT", ("2", "٤")),
    ],
)
def test_no_two_numbers_become_one(
    tables: BoxTables, box: FolderBox, numbers: tuple[str, ...], kind: str, expected: tuple[str, ...]
) -> None:
    """Ids of 19 digits and more, which a floating-point number cannot tell apart."""
    box.write("/workspace/data/ids.csv", "\n".join(("id", *numbers)).encode())
    assert ask(tables, "SELECT count(DISTINCT id), max(id) FROM ids").rows == (expected,)
    with pytest.raises(QueryRefusedError, match=rf'"ids"\("id" {kind}\)'):
        ask(tables, "SELECT * FROM nowhere")


def test_a_query_that_took_all_memory_is_told_as_such(tables: BoxTables, box: FolderBox) -> None:
    killed = replace(box.exec(["true"], timeout_seconds=9), exit_code=137)
    box.exec = lambda *_, **__: killed  # type: ignore[method-assign]
    with pytest.raises(QueryRefusedError, match="more memory than a sandbox has: ask for less"):
        ask(tables, "SELECT 1")


def test_a_name_that_sqlite_keeps_for_itself_has_a_word_before_it(tables: BoxTables, box: FolderBox) -> None:
    box.write("/workspace/data/sqlite_stat.csv", b"a\n1\n")
    assert ask(tables, "SELECT a FROM table_sqlite_stat").rows == (("1",),)


def test_database_files_beyond_the_bound_are_told(tables: BoxTables, box: FolderBox) -> None:
    for number in range(11):
        with closing(sqlite3.connect(box.root / "workspace" / "data" / f"d{number:02}.db")) as connection:
            connection.execute("CREATE TABLE t (a)")
    with pytest.raises(QueryRefusedError, match=r"d10\.db: only 10 database files"):
        ask(tables, "SELECT * FROM nowhere")


def test_a_name_that_is_no_identifier_is_a_table_in_quotes(tables: BoxTables, box: FolderBox) -> None:
    box.write("/workspace/data/2026 sales-final.csv", b"select\n1\n")
    assert ask(tables, 'SELECT "select" FROM "2026 sales-final"').rows == (("1",),)


def test_an_endless_query_is_ended(tables: BoxTables) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(QueryRefusedError, match="took longer than"):
        tables.query(endless, max_rows=5, timeout_seconds=0.7)


def test_data_that_cannot_be_read_is_told_with_the_reason(tables: BoxTables, box: FolderBox, tmp_path: Path) -> None:
    box.write("/workspace/data/broken.db", b"SQLite format 3\0 and then nothing of the kind" * 100)
    with pytest.raises(QueryRefusedError):
        ask(tables, "SELECT * FROM broken.sqlite_master")


@pytest.mark.parametrize("answer", ["", "{}", "[]", "1", '{"columns": [], "rows": [1], "more": 0}', "[" * 100_000])
def test_another_programs_answer_is_a_query_that_is_refused(box: FolderBox, answer: str) -> None:
    (box.root / "answer").write_text(answer)
    (box.root / "python").write_text(f"#!/bin/sh\nexec cat {box.root}/answer\n")
    (box.root / "python").chmod(0o755)
    with pytest.raises(QueryRefusedError, match="the data could not be read"):
        BoxTables(box, "data", str(box.root / "python")).query("SELECT 1", max_rows=1, timeout_seconds=30)
