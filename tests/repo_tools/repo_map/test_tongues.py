"""Languages that people speak, in issues and in paths."""

import pytest

from repo_tools.repo_map.tongues import IN_PASSING, OF_A_REGION, speaks, tongues


def test_a_language_in_the_title_is_what_an_issue_is_about_and_below_it_may_be_an_example() -> None:
    found = tongues("Past declensions in Polish", "Seen in POLISH and on a russian machine; Korean2 is no language.")
    assert found == {"pl": 1.0, "ru": IN_PASSING}
    assert tongues("Polishing of the hind legs", "") == {}


@pytest.mark.parametrize(
    ("path", "share"),
    [
        ("src/Lang/pl.php", 1.0),
        ("locale/pl/LC_MESSAGES/shop.po", 1.0),
        ("shop/pl_PL/__init__.py", OF_A_REGION),
        ("locale/zh-hant-tw.js", OF_A_REGION),
        ("src/Lang/de.php", 0.0),
        ("src/Lang/PL.php", 0.0),
        ("src/pl_helpers.py", 0.0),
        ("src/place.py", 0.0),
    ],
)
def test_a_file_is_of_a_language_whose_code_it_or_a_folder_is_called_by(path: str, share: float) -> None:
    assert speaks(path, {"pl": 1.0, "zh": 1.0}) == share
    assert speaks(path, {"pl": 0.5, "zh": 0.5}) == share / 2
    assert speaks(path, {}) == 0.0
