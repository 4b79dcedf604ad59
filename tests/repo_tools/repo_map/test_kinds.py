"""Which files are sources, tests and documents, by their paths and those of their tree."""

import pytest

from repo_tools.repo_map.kinds import Kind, code_folders, kind_of


@pytest.mark.parametrize(
    "path",
    [
        *("repo_tools/changes.py", "src/history.ts", "lib/license_checker.go", "sphinx/domains/changeset.py"),
        *("sphinx/ext/todo.py", "pylint/checkers/newstyle.py", "lib/news.lua"),
        *("src/shop/benchmark/timer.cpp", "lib/fuzz.rb", "src/Event/Test/Passed.php", "src/Latest.Contest/A.cs"),
        *("shop-test/src/lib.rs", "src/main/java/org/shop/integrationTest/Basket.java", "src/Illuminate/Testing/A.php"),
        *("src/AUDIT.java", "src/LIMIT.py", "src/main/java/org/shop/test/Basket.java"),
    ],
)
def test_a_name_alone_makes_no_source_a_document_or_a_test(path: str) -> None:
    assert kind_of(path) is Kind.SOURCE


@pytest.mark.parametrize(
    "path",
    [
        *("shop/templates/cart/list.html", "shop/templates/mail/order.txt", "app/views/carts/_form.html.erb"),
        *("web/src/app/cart.component.html", "shop/static/shop/cart.css", "src/styles/_cart.scss", "views/cart.pug"),
        *("Pages/Cart.cshtml", "resources/views/cart.twig", "layouts/_default/single.html", "src/cart.hbs"),
    ],
)
def test_views_and_style_sheets_are_a_part_of_the_product(path: str) -> None:
    assert kind_of(path) is Kind.SOURCE


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("docs/_templates/layout.html", Kind.DOCUMENT),
        ("examples/shop/templates/cart.html", Kind.DOCUMENT),
        ("tests/templates/cart.html", Kind.TEST),
        ("vendor/shop/cart.css", Kind.VENDORED),
        ("index.html", Kind.DOCUMENT),
        ("config/app.xml", Kind.DATA),
    ],
)
def test_views_of_something_else_are_none_of_the_product(path: str, kind: Kind) -> None:
    assert kind_of(path) is kind


@pytest.mark.parametrize("path", ["CHANGES", "HISTORY.rst", "LICENSE-MIT", "todo.txt", "README.md", "docs/conf.py"])
def test_documents_stay_documents(path: str) -> None:
    assert kind_of(path) is Kind.DOCUMENT


@pytest.mark.parametrize(
    "path",
    [
        *("shop/test/test_client.py", "shop/testing/suite/test_all.py", "shop/testing/conftest.py"),
        *("shop/tests/client.py", "test/client.py", "tests/fixtures/client.py", "spec/client.rb", "lib/test/client.js"),
        *("src/test/java/Client.java", "src/ClientTest.java", "src/ClientIT.java", "src/client.spec.ts", "a_test.go"),
    ],
)
def test_tests_stay_tests(path: str) -> None:
    files = ["shop/__init__.py", "shop/testing/__init__.py", "test/__init__.py", "tests/__init__.py"]
    code = code_folders([*files, "tests/fixtures/__init__.py", "shop/test/__init__.py", path])
    assert kind_of(path, code) is Kind.TEST


@pytest.mark.parametrize(
    "path",
    [
        *("src/UnitTests/Baskets.cs", "src/Shop.Tests/Baskets.cs", "Shop.Test/A.cs", "Shop.Tests.Benchmarks/A.cs"),
        *("Tests/Basket.php", "shop-tests/src/Basket.java", "tests-integration/src/lib.rs", "shop_tests/src/lib.rs"),
        *("app/src/androidTest/Basket.java", "src/__mocks__/basket.ts", "pkg/unit-test/a.go"),
        *("base/basket_unittest.cc", "unittests/basket.cpp", "autotests/basket.cpp"),
    ],
)
def test_a_project_of_tests_beside_that_of_sources_holds_tests(path: str) -> None:
    assert kind_of(path) is Kind.TEST


@pytest.mark.parametrize(
    "path",
    ["benches/basket.rs", "packages/playground/html/main.ts", "sample/basket.ts", "src/ShopSamples/A.cs", "fuzz/a.c"],
)
def test_what_shows_or_measures_the_sources_is_none_of_them(path: str) -> None:
    assert kind_of(path) is Kind.DOCUMENT


@pytest.mark.parametrize("path", ["django/test/client.py", "django/test/html/parse.py", "lib/sql/testing/fixtures.py"])
def test_a_part_of_a_package_may_be_about_tests(path: str) -> None:
    packages = ["django", "django/test", "django/test/html", "lib/sql", "lib/sql/testing"]
    code = code_folders([*(f"{package}/__init__.py" for package in packages), path])
    assert kind_of(path, code) is Kind.SOURCE


def test_a_folder_with_a_test_in_it_holds_tests() -> None:
    files = ["shop/__init__.py", "shop/test/__init__.py", "shop/test/helpers.py", "shop/test/test_basket.py"]
    assert {kind_of(path, code_folders(files)) for path in files[1:]} == {Kind.TEST}
