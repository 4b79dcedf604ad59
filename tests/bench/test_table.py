"""What a measurement says beside its target."""

from bench.table import (
    PeerMissingError,
    Row,
    alone,
    cells,
    compared,
    markdown_page,
    missing,
    terminal_table,
    without_peer,
)


def test_figures_are_medians_and_the_ratio_is_theirs() -> None:
    row = compared("a request", [9.0, 3.0, 4.0], [2.0, 1.0, 50.0], 2.5, "ms")
    assert (row.ours, row.peer, row.ratio, row.verdict) == (4.0, 2.0, 2.0, "met")


def test_a_ratio_above_its_target_is_missed() -> None:
    assert compared("a request", [3.0], [2.0], 1.2, "ms").verdict == "missed"


def test_without_a_peer_our_own_figure_stands_against_the_target() -> None:
    assert alone("memory", [69.0, 71.0, 60.0], 70.0, "MB").verdict == "met"
    assert alone("memory", [80.0], 70.0, "MB").verdict == "missed"


def test_a_peer_that_cannot_be_had_is_said_and_nothing_is_judged() -> None:
    row = without_peer("a request", [3.0], 1.2, "ms", PeerMissingError("no node on this machine"))
    assert row.verdict == ""
    assert "no node on this machine" in cells(row)[-1]


def test_the_page_names_machine_and_versions_and_every_row() -> None:
    rows = [Row("a | b", 1234.0, 0.5, 2.0, 1.2, "ms"), alone("memory", [69.0], 70.0, "MB")]
    page = markdown_page(rows, ["fastapi"])
    assert "- fastapi: " in page
    assert "| a \\| b | 1,234 | 0.5 | 2 | 1.2 | ms | missed |" in page
    assert "| memory | 69 |  |  | 70 | MB | met |" in page


def test_the_terminal_shows_every_row() -> None:
    assert terminal_table([alone("memory", [69.0], 70.0, "MB")]).row_count == 1


def test_what_could_not_be_measured_says_so_and_is_not_met() -> None:
    row = missing("gVisor beside runc", 1.5, "s", PeerMissingError("the engine has no runtime runsc"))
    assert row.verdict == ""
    assert "NOT MEASURED: the engine has no runtime runsc" in cells(row)[-1]
