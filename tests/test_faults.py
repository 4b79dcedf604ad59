"""Every fault that the product must answer well is named by a test that proves it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROW = re.compile(r"\b[WQFSGTKVPDC]\d\d\b")
DEMANDED = {
    "webhook ingestion": "W01 W02 W03 W05 W06 W07 W09 W10 W11 W13 W14 W15 W16 W18 W20 W22 W23",
    "file and test tools": "F01 F02 F03 F05 F07 F08 F09 F10 F12",
    "sandbox": "S01 S02 S03 S04 S06 S08 S10 S12 S13",
    "queue and leases": "Q01 Q02 Q05 Q06 Q07 Q08 Q09 Q10 Q12 Q14 Q16 Q18 Q19 Q21 Q23",
    "effects on GitHub": "G01 G03 G04 G06 G07 G08 G09 G11 G13",
    "git on the host": "T01 T02 T03 T05 T09 T10 T11 T12 T14 T15 T16 T18 T19 T22 T23",
    "secrets": "K01 K04 K05 K06 K08 K09",
    "tampering with tests": "V01 V02 V03 V04 V05 V09 V13 V14 V15 V16 V18 V20",
    "prompt injection and trust": "P01 P04 P05 P06 P08 P10 P11 P12 P13 P14 P16 P18",
    "dashboard": "D01 D03 D04 D07 D09 D10",
    "configuration and chart": "C01 C03 C04",
}
"""Rows of the table of faults, by subject. Not D06: there are no users of their own whom a page could tell apart, one
token opens all of it."""


@cache
def named() -> frozenset[str]:
    """Rows that a test, or a module that is about one, names in its docstring or in an id of its parameters."""
    modules = [path for path in TESTS.rglob("test_*.py") if path != Path(__file__)]
    return frozenset(
        row for path in modules for text in _claims(ast.parse(path.read_text())) for row in ROW.findall(text)
    )


def _claims(module: ast.Module) -> Iterator[str]:
    yield ast.get_docstring(module) or ""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield ast.get_docstring(node) or ""
            yield from map(ast.unparse, node.decorator_list)


def test_a_comment_or_a_helper_claims_nothing() -> None:
    text = '# W01\ndef helper():\n    """W02"""\ndef test_a():\n    """W03."""\n    x = "W05"\n'
    assert [row for claim in _claims(ast.parse(text)) for row in ROW.findall(claim)] == ["W03"]


@pytest.mark.parametrize("rows", DEMANDED.values(), ids=list(DEMANDED))
def test_each_demanded_fault_is_named_by_a_test(rows: str) -> None:
    assert set(rows.split()) - named() == set()
