"""A query that sorts more than fits into SQLite's cache finds room for it in a box of every engine."""

from repo_tools.interpreter.tables import BoxTables
from repo_tools.sandbox.contract import VAR_TMP_BYTES, BoxSpec, SandboxEngine
from tests.support.engine import ENGINES_WITH_GVISOR

ENGINES = ENGINES_WITH_GVISOR
VALUE_BYTES = 200
VALUES = VAR_TMP_BYTES // VALUE_BYTES * 3 // 2


def test_a_sort_that_is_larger_than_var_tmp_comes_to_its_end(engine: SandboxEngine) -> None:
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {VALUES})"
    query = f"{numbers} SELECT count(*) FROM (SELECT DISTINCT printf('%0{VALUE_BYTES}d', i) FROM n)"
    with engine.start(BoxSpec()) as box:
        found = BoxTables(box, "data").query(query, max_rows=1, timeout_seconds=300)
    assert found.rows == ((str(VALUES),),)
