"""What the doctor says of Pythons. (Its other checks: tests/app/cli.)"""

import pytest

from workers.doctor import told_pythons


@pytest.mark.parametrize(
    ("there", "engine", "shown", "remedy"),
    [
        (["3.11.2", "3.9.2", "3.13.5"], "bubblewrap", "3.9.2, 3.11.2, 3.13.5", ""),
        (["3.11.2", "3.13.5"], "bubblewrap", "3.11.2, 3.13.5", "run on 3.9: `agent-fix sandbox pythons` (root on"),
        (["3.11.2"], "docker", "3.11.2", "run on 3.9 or 3.13: `agent-fix sandbox build` makes an image"),
    ],
)
def test_pythons_are_told_in_their_order_and_how_to_get_those_that_lack(
    there: list[str], engine: str, shown: str, remedy: str
) -> None:
    check = told_pythons(there, engine)
    assert (check.ok, check.detail) == (True, f"at hand: {shown}")
    assert bool(check.remedy) is bool(remedy)
    assert remedy in check.remedy
