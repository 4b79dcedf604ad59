"""No long proof is without a short form."""

from tests.support.long import Named, without_short_form


def test_a_long_proof_names_a_short_form_that_is_always_run() -> None:
    tests = [
        Named("a.py::always", None),
        Named("a.py::some_of_many", None),
        Named("a.py::some_of_many", "a.py::some_of_many"),
        Named("b.py::whole", "a.py::always"),
    ]
    assert without_short_form(tests) == []
    tests += [
        Named("b.py::alone", "b.py::alone"),
        Named("b.py::misnamed", "a.py::never"),
        Named("b.py::on_a_long_one", "b.py::whole"),
    ]
    assert without_short_form(tests) == ["b.py::alone", "b.py::misnamed", "b.py::on_a_long_one"]
