"""The tool that asks the data by SQL."""

from pydantic import Field

from agent.errors import ToolFailed
from agent.tools.tool import Arguments, Desk, Tool
from repo_tools.counted import counted
from repo_tools.interpreter.contract import READING_SECONDS, QueryRefusedError, QueryResult

ROWS = 100
SECONDS = 120.0


class Sql(Arguments):
    query: str = Field(min_length=1, description="one SELECT in SQLite's dialect")


def sql(arguments: Sql, desk: Desk) -> str:
    if desk.tables is None:
        raise ToolFailed("There is no data in this run.")
    seconds, reading = desk.budget.at_most(SECONDS), desk.budget.at_most(READING_SECONDS)
    try:
        found = desk.tables.query(arguments.query, max_rows=ROWS, timeout_seconds=seconds, reading_seconds=reading)
        return describe(found)
    except QueryRefusedError as error:
        raise ToolFailed(str(error)) from None


def describe(result: QueryResult) -> str:
    """Rows as lines, their values separated by `` | ``."""
    lines = [" | ".join(values).replace("\n", "\\n") for values in (result.columns, *result.rows)]
    rows = counted(len(result.rows), "row")
    count = f"only the first {rows}" if result.more else rows
    return "\n".join([*lines, *(f"[{remark}]" for remark in (count, *result.doubts))])


SQL = Tool(
    "sql",
    "Ask the data by SQL, for reading only. Each CSV or TSV file below data/ (packed too: .csv.gz) is a table named "
    "after the file, its first row the column names, types guessed, empty values NULL, and NA, NaN and the like among "
    "numbers too; what looks like numbers in a TEXT column adds up to nonsense: clean it first. Each SQLite file is a "
    "schema named after the file (shop.db: shop.table). Names that are no plain words go in double quotes; PRAGMA "
    f"table_list and table_info(name) tell what there is. At most {ROWS} rows are shown: aggregate. A mistake is "
    "answered with the list of tables.",
    Sql,
    sql,
)
