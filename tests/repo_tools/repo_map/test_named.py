"""Files that an issue names, in the many ways in which files and modules are named."""

import pytest

from repo_tools.repo_map.repository_map import rank_tree
from tests.support.trees import tree_of

FILES = [
    *("src/Shop/Cart/Basket.php", "src/Cart/Mail.php", "lib/shop/first_basket.rb", "src/Shop.Web/Cart/Mailer.cs"),
    *("crates/shop/src/till/mod.rs", "model/folder.go", "app/[slug]/page.tsx", "app/(shop)/page.tsx", "command.go"),
    *("packages/@shop/cart/page.tsx", "src/ui/Basket.svelte", "shop/cart.py", "src/util/strings.ts", "src/mail.c"),
    *("packages/cart/index.ts", "shop/index.py", "other/cart.py", "docs/page.tsx"),
    *("src/util/Makefile", "index.ts"),
]


def why(issue: str) -> dict[str, str]:
    """The files that the issue names, each with the first reason why it stands where it does."""
    contents = {path: f"{number}\n".encode() for number, path in enumerate(FILES)}
    tree = tree_of(contents)
    ranked = rank_tree(tree, contents.__getitem__, f"It fails\n\n{issue}\n")
    return {file.path: file.why[0] for file in ranked if file.why and ("name" in file.why[0] or "trace" in file.why[0])}


@pytest.mark.parametrize(
    ("issue", "path"),
    [
        ("`Shop\\Cart\\Basket::add()` returns null", "src/Shop/Cart/Basket.php"),
        ("Vendor\\Shop\\Cart\\Mail is not sent", "src/Cart/Mail.php"),
        ("undefined method for Shop::FirstBasket#add", "lib/shop/first_basket.rb"),
        ("Shop.Web.Cart.Mailer.Send throws", "src/Shop.Web/Cart/Mailer.cs"),
        ("shop::till::total panics", "crates/shop/src/till/mod.rs"),
        ("model.Folder.Scan never ends", "model/folder.go"),
        ("importing '@/util/strings' fails", "src/util/strings.ts"),
        ("`require('packages/cart')` fails", "packages/cart/index.ts"),
        ("shop.cart.total is wrong", "shop/cart.py"),
        ("src/util/Makefile is broken", "src/util/Makefile"),
    ],
)
def test_a_name_of_several_parts_names_a_file_however_a_language_writes_it(issue: str, path: str) -> None:
    found = why(issue)
    assert next(iter(found)) == path
    assert found[path].startswith("the issue names ")


@pytest.mark.parametrize(
    ("issue", "path"),
    [
        ("see app/[slug]/page.tsx", "app/[slug]/page.tsx"),
        ("see app/(shop)/page.tsx", "app/(shop)/page.tsx"),
        ("see packages/@shop/cart/page.tsx", "packages/@shop/cart/page.tsx"),
        ("see ui/Basket.svelte", "src/ui/Basket.svelte"),
        ("see https://github.com/o/r/blob/v1.2/shop/cart.py#L12-L20 there", "shop/cart.py"),
        ("see https://github.com/o/r/blame/main/command.go?plain=1#L9", "command.go"),
        ("see (https://gitlab.com/o/r/-/blob/main/shop/cart.py)", "shop/cart.py"),
        ("see https://raw.githubusercontent.com/o/r/main/shop/cart.py", "shop/cart.py"),
        ("see https://gitlab.com/o/group/under/r/-/blob/main/shop/cart.py", "shop/cart.py"),
        ("see https://bitbucket.org/o/r/src/main/shop/cart.py#lines-12", "shop/cart.py"),
        ("see https://codeberg.org/o/r/src/branch/main/shop/cart.py", "shop/cart.py"),
        ("问题出在src/util/strings.ts文件第20行", "src/util/strings.ts"),
        ("shop/cart.pyで失敗します", "shop/cart.py"),
        ("오류는shop/cart.py에서 납니다", "shop/cart.py"),
    ],
)
def test_a_path_is_read_with_all_its_characters_and_out_of_links(issue: str, path: str) -> None:
    found = why(issue)
    assert [other for other in found if found[other].endswith("named in the issue")] == [path]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("\t/root/go/pkg/mod/example.com/shop@v1.0.0/command.go:846 +0x2c2", "command.go"),
        (
            "    at f (/x/node_modules/.pnpm/shop@5.0.0/node_modules/shop/src/util/strings.ts:9:1)",
            "src/util/strings.ts",
        ),
        ("==12==    by 0x40: send (mail.c:892)", "src/mail.c"),
    ],
)
def test_a_frame_is_found_where_somebody_installed_it(line: str, path: str) -> None:
    assert why(line)[path].startswith("in the stack trace")


@pytest.mark.parametrize(
    "issue",
    [
        "mail a.b@shop.cart.com or basket@page.tsx",
        "https://example.com/o/r/shop/cart.py",
        "either/or, and self.cart.total",
        "/usr/lib/python3/json/cart.py is not ours",
    ],
)
def test_what_only_looks_like_one_names_none(issue: str) -> None:
    assert not [path for path, reason in why(issue).items() if reason != "has a name of the issue"]


@pytest.mark.parametrize(
    ("frame", "path"),
    [
        ('  File "/opt/v/lib/python3.12/site-packages/shop/cart.py", line 3, in add', "shop/cart.py"),
        ('  File "/v/lib/python3.5/site-packages/shop-1.0-py3.5.egg/shop/cart.py", line 3, in add', "shop/cart.py"),
        ("    at add (/app/node_modules/@shop/cart/index.ts:3:1)", "packages/cart/index.ts"),
        (
            "  at /root/.cargo/registry/src/index.crates.io-6f17/shop-1.2.3/src/till/mod.rs:3:1",
            "crates/shop/src/till/mod.rs",
        ),
        ("/usr/lib/ruby/gems/3.2.0/gems/till-1.2.3/lib/shop/first_basket.rb:3:in `add'", "lib/shop/first_basket.rb"),
        ("\t/go/pkg/mod/github.com/o/shop@v1.2.3/model/folder.go:3 +0x1d", "model/folder.go"),
        ("#0 /var/www/vendor/o/shop/src/Cart/Mail.php(3): send()", "src/Cart/Mail.php"),
        ("    at add (http://localhost:5173/src/util/strings.ts?t=17:3:1)", "src/util/strings.ts"),
        ("add@http://localhost:8080/src/util/strings.ts:3:1", "src/util/strings.ts"),
        ("    at add (http://192.168.1.5:3000/src/util/strings.ts?t=1700000000000:3:1)", "src/util/strings.ts"),
        ("add@https://shop.example.org/src/util/strings.ts:3:1", "src/util/strings.ts"),
    ],
)
def test_a_frame_in_an_installed_copy_or_on_an_own_server_is_one_of_the_repository(frame: str, path: str) -> None:
    assert next(iter(why(frame).items())) == (path, "in the stack trace, line 3")


@pytest.mark.parametrize(
    "frame",
    [
        '  File "/opt/v/lib/python3.12/site-packages/bank/shop/cart.py", line 3, in add',
        '  File "/usr/lib/python3.12/own/shop/cart.py", line 3, in add',
        "    at add (/app/node_modules/bank/packages/src/util/strings.ts:3:1)",
        "    at add (/app/node_modules/bank/util/strings.ts:3:1)",
        "  at /rustc/90c5418/library/src/till/mod.rs:3:1",
        "/usr/lib/ruby/3.2.0/net/shop/first_basket.rb:3:in `add'",
        "\t/usr/local/go/src/net/model/folder.go:3 +0x1d",
        "\t/opt/hostedtoolcache/go/1.21.0/x64/src/net/model/folder.go:3 +0x1d",
        "  at /root/.rustup/toolchains/stable/lib/rustlib/src/rust/library/src/till/mod.rs:3:1",
        "  at /root/.cargo/git/checkouts/bank-377c595163f99a10/1a2b3c4/src/till/mod.rs:3:1",
        '  File "C:\\Users\\me\\Anaconda3\\lib\\own\\shop\\cart.py", line 3, in add',
        "    at add (https://shop.example.org/src/util/strings.ts:1:23456)",
    ],
)
def test_a_frame_in_somebody_elses_package_names_no_file_of_the_repository(frame: str) -> None:
    assert {*why(frame).values()} <= {"has a name of the issue"}


@pytest.mark.parametrize(
    ("manifest", "content", "path", "others", "own"),
    [
        (
            "package.json",
            '{"name": "shop"}',
            "lib/index.js",
            "    at add (/app/node_modules/bank/lib/index.js:3:1)",
            "    at add (/app/node_modules/shop/lib/index.js:3:1)",
        ),
        (
            "Cargo.toml",
            '[package]\nedition = "2021"\nname = "shop_till"\n',
            "src/client.rs",
            "  at /root/.cargo/registry/src/index.crates.io-6f17/bank-1.2.3/src/client.rs:3:1",
            "  at /root/.cargo/registry/src/index.crates.io-6f17/shop-till-1.2.3/src/client.rs:3:1",
        ),
        (
            "go.mod",
            "module github.com/O/shop/v2\n",
            "command.go",
            "\t/go/pkg/mod/github.com/o/bank@v1.2.3/command.go:3 +0x1d",
            "\t/go/pkg/mod/github.com/!o/shop/v2@v2.2.3/command.go:3 +0x1d",
        ),
        (
            "composer.json",
            '{"name": "o/shop"}',
            "src/Mail.php",
            "#0 /var/www/vendor/o/bank/src/Mail.php(3): send()",
            "#0 /var/www/vendor/o/shop/src/Mail.php(3): send()",
        ),
        (
            "shop.gemspec",
            "",
            "lib/mail.rb",
            "/usr/lib/ruby/gems/3.2.0/gems/bank-1.2.3/lib/mail.rb:3:in `add'",
            "/usr/lib/ruby/gems/3.2.0/gems/shop-1.2.3/lib/mail.rb:3:in `add'",
        ),
    ],
)
def test_the_manifest_tells_whether_a_package_at_the_root_is_meant(
    manifest: str, content: str, path: str, others: str, own: str
) -> None:
    contents = {manifest: content.encode(), path: b"x = 1\n"}
    tree = tree_of(contents)

    def named(frame: str) -> bool:
        reasons = (why for file in rank_tree(tree, contents.__getitem__, f"It fails\n\n{frame}\n") for why in file.why)
        return "in the stack trace, line 3" in reasons

    assert (named(own), named(others)) == (True, False)


@pytest.mark.parametrize("manifest", ["[]", "{", '{"name": 1}', "[" * 100_000])
def test_where_no_manifest_tells_a_package_may_be_the_roots(manifest: str) -> None:
    contents = {"package.json": manifest.encode(), "lib/index.js": b"x = 1\n"}
    tree = tree_of(contents)
    issue = "It fails\n\n    at add (/app/node_modules/bank/lib/index.js:3:1)\n"
    assert rank_tree(tree, contents.__getitem__, issue)[0].why[0] == "in the stack trace, line 3"


def test_the_package_of_kotlin_may_have_no_folder() -> None:
    paths = ("app/src/main/kotlin/Main.kt", "app/src/main/kotlin/org/bank/Basket.kt", "lib/src/org/shop/Basket.kt")
    contents = {path: path.encode() for path in paths}
    tree = tree_of(contents)
    issue = "It fails\n\tat org.shop.Basket.total(Basket.kt:12)\n\tat org.shop.MainKt.main(Main.kt:3)"
    ranked = rank_tree(tree, contents.__getitem__, issue)
    assert [file.path for file in ranked if "stack trace" in file.why[0]] == [paths[2], paths[0]]


def test_the_package_tells_apart_files_of_java_that_are_called_alike() -> None:
    contents = {f"src/main/java/org/{part}/Basket.java": part.encode() for part in ("bank", "shop", "till")}
    tree = tree_of(contents)
    ranked = rank_tree(tree, contents.__getitem__, "It fails\n\tat org.shop.Basket.total(Basket.java:12)")
    assert (ranked[0].path, ranked[0].why[0]) == (
        "src/main/java/org/shop/Basket.java",
        "in the stack trace, line 12",
    )
    assert not any("in the stack trace" in why for file in ranked[1:] for why in file.why)


@pytest.mark.parametrize(
    "issue",
    [
        "The culprit is `shop/cart.py:11`, I think",
        "See https://github.com/o/r/blob/main/shop/cart.py#L11 there",
        "See https://bitbucket.org/o/r/src/main/shop/cart.py#lines-11 there",
        "Wrong since cart.py line 11 was changed",
        "Look: shop/cart.py, line 11",
        "Look: shop/cart.py#L11",
        "Look: shop/cart.py:11-14",
    ],
)
def test_a_line_that_a_sentence_names_leads_to_what_stands_there(issue: str) -> None:
    functions = "".join(f"def part_{number}():\n    return {number}\n\n" for number in range(10))
    contents = {"shop/cart.py": functions.encode(), "shop/other.py": b"def other(): pass\n"}
    tree = tree_of(contents)

    first = rank_tree(tree, contents.__getitem__, f"It fails\n\n{issue}\n")[0]

    assert (first.path, first.why[0]) == ("shop/cart.py", "line 11 is named in the issue")
    assert max(first.definitions, key=lambda found: found[1])[0].name == "part_3"
