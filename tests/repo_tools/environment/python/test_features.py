"""Features that behave runs are none of the suite: that is said."""

from repo_tools.environment.detect import detect
from tests.support.files_checkout import FilesCheckout

FILES = {"test_a.py": "def test_a(): pass\n", "a.py": ""}
STEPS = "from behave import given\n\n\n@given('a')\ndef step(context): pass\n"


def left_out(**files: str) -> tuple[str, ...]:
    checkout = FilesCheckout({**FILES, **files})
    return detect(checkout.tree, checkout.read).left_out


def test_features_with_steps_of_behave_are_named() -> None:
    features = {"tests/features/a.feature": "Feature: a\n", "tests/features/more/b.feature": "Feature: b\n"}
    assert left_out(**features, **{"tests/features/steps/all.py": STEPS}) == (
        "the 2 features in tests/features, which behave runs",
    )


def test_those_that_stand_in_the_root_are_named_without_what_others_have_there() -> None:
    features = {"steps/all.py": STEPS, "a.feature": "", "more/b.feature": "", "node_modules/a/c.feature": ""}
    assert left_out(**features) == ("the 2 features in the root, which behave runs",)


def test_features_of_pytest_and_of_documents_are_not() -> None:
    assert left_out(**{"features/a.feature": "", "features/steps/all.py": "from pytest_bdd import given\n"}) == ()
    assert left_out(**{"docs/a.feature": "", "docs/steps/all.py": STEPS}) == ()
    assert left_out(**{"features/steps/all.py": STEPS}) == ()
