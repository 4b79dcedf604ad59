"""Tests that are named after a file."""

import pytest

from repo_tools.repo_map.named_after import NamedAfter


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("shop/basket.py", "tests/test_basket.py"),
        ("shop/basket.py", "tests/testbasket.py"),
        ("shop/first_basket.rb", "spec/first_basket_spec.rb"),
        ("src/first-basket.ts", "src/FirstBasket.spec.tsx"),
        ("lib/basket.js", "test/test-basket.js"),
        ("lib/basket.js", "test/test.basket.js"),
        ("lib/basket.js", "test/basket.e2e-spec.js"),
        ("src/Basket.java", "test/BasketIT.java"),
        ("src/Basket.java", "test/BasketUnitTest.java"),
        ("src/Basket.java", "test/BasketTestCase.java"),
        ("src/Basket.cs", "Shop.Tests/BasketIntegrationTests.cs"),
        ("base/basket.cc", "base/basket_unittest.cc"),
        ("src/basket.cpp", "tests/tst_basket.cpp"),
        ("shop/basket/__init__.py", "tests/test_basket.py"),
        ("packages/basket/src/index.ts", "packages/basket/test/basket.test.ts"),
        ("src/basket/mod.rs", "tests/basket.rs"),
        ("shop/src/io/util/chain.rs", "shop/tests/io_chain.rs"),
        ("shop/src/net/tcp/stream.rs", "shop/tests/net_tcp_stream.rs"),
        ("t/unit.py", "tests/test_unit.py"),
    ],
)
def test_a_test_is_named_after_a_file_in_many_ways(path: str, test: str) -> None:
    assert NamedAfter(path, ()).is_of(test)


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("shop/basket.py", "tests/test_mail.py"),
        ("shop/basket.py", "shop/tests.py"),
        ("shop/chain.rs", "tests/blockchain.rs"),
        ("js/index.js", "test/test.js"),
        ("shop/unit.py", "tests/test.py"),
        ("shop/.py", "tests/test_basket.py"),
        ("src/it.rs", "tests/edit.rs"),
    ],
)
def test_what_only_ends_alike_is_not_named_after_it(path: str, test: str) -> None:
    assert not NamedAfter(path, ()).is_of(test)


def test_of_files_that_are_called_alike_a_test_is_of_the_nearest() -> None:
    sources = ["packages/cart/src/index.ts", "packages/mail/src/index.ts", "shop/a/utils.py", "shop/b/utils.py"]
    cart, _, first, second = (NamedAfter(path, sources) for path in sources)
    assert cart.is_of("packages/cart/__tests__/index.test.ts")
    assert not cart.is_of("packages/mail/__tests__/index.test.ts")
    assert first.is_of("tests/a/test_utils.py")
    assert not second.is_of("tests/a/test_utils.py")
    assert first.is_of("tests/test_utils.py")
    assert second.is_of("tests/test_utils.py")


def test_a_header_does_not_take_the_tests_of_its_source() -> None:
    sources = ["include/shop/basket.h", "src/basket.cc"]
    assert all(NamedAfter(path, sources).is_of("include/shop/basket_test.cc") for path in sources)
