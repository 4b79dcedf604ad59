"""Plans for Go, Rust, Java, Ruby and Make repositories. Nothing is run: the toolchains need not be there."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from repo_tools.changes import FileMode, Tree, TreeEntry, blob_id
from repo_tools.environment.contract import Environment, NoTestsError, Tool
from repo_tools.environment.detect import detect
from repo_tools.environment.runners.cargo import COMPILED


def planned(files: Mapping[str, str], issue: str = "") -> Environment:
    tree: Tree = {path: TreeEntry(_mode(text), blob_id(text.encode())) for path, text in files.items()}
    return detect(tree, lambda path: files[path].encode(), issue=issue)


def _mode(text: str) -> FileMode:
    return FileMode.EXECUTABLE if text.startswith("#!") else FileMode.REGULAR


def setup(environment: Environment) -> list[str]:
    return [" ".join(command.argv) for command in environment.setup]


def commands(environment: Environment) -> list[tuple[str, str, str]]:
    return [(command.runner, " ".join(command.argv), command.directory) for command in environment.tests]


def workflow(steps: str, environment: str = "") -> dict[str, str]:
    job = f"jobs:\n  test:\n    runs-on: ubuntu-latest\n{environment}    steps:\n{steps}"
    return {".github/workflows/ci.yml": f"on: push\n{job}"}


GO = {"go.mod": "module example.com/a\n\ngo 1.21\n", "go.sum": "", "a.go": "package a", "a_test.go": "package a"}


def test_a_go_module() -> None:
    environment = planned(GO)
    assert commands(environment) == [("go_test", "go test ./...", "")]
    assert setup(environment)[0] == "go mod download"
    assert environment.tools == (Tool("go", ">=1.21", "go.mod"),)
    assert environment.variables["GOTOOLCHAIN"] == "local"
    assert environment.manifests == ("go.mod", "go.sum")


def test_a_go_module_whose_dependencies_are_vendored_downloads_none() -> None:
    assert not any("download" in line for line in setup(planned({**GO, "vendor/modules.txt": ""})))


@pytest.mark.parametrize("uses", ["use (\n\t./api\n\t./jobs\n\t./docs\n)\n", "use ./api\nuse ./jobs\n"])
def test_a_go_workspace_has_one_command_for_each_module_with_tests(uses: str) -> None:
    files = {"go.work": f"go 1.21\n\n{uses}", "docs/go.mod": "module d"}
    for name in ("api", "jobs"):
        files |= {f"{name}/go.mod": f"module {name}", f"{name}/x_test.go": ""}
    environment = planned(files)
    assert commands(environment) == [("go_test", "go test ./...", "api"), ("go_test", "go test ./...", "jobs")]
    assert [c.directory for c in planned(files, "see jobs/x_test.go").tests] == ["jobs"]


def test_the_root_of_a_go_workspace_is_a_module_of_its_own_and_remarks_are_none() -> None:
    files = {
        **GO,
        "go.work": "go 1.21\n\nuse (\n\t.\n\t./tools // for us\n\t../beside\n)\n",
        "tools/go.mod": "module t",
        "tools/deep/x_test.go": "",
    }
    assert commands(planned(files)) == [("go_test", "go test ./...", ""), ("go_test", "go test ./...", "tools")]


def test_the_root_of_a_go_workspace_without_tests_of_its_own_has_no_command() -> None:
    files = {"go.work": "use .\nuse ./a\n", "go.mod": "module r", "a/go.mod": "module a", "a/x_test.go": ""}
    assert [command.directory for command in planned(files).tests] == ["a"]


def test_a_go_workspace_fetches_for_all_its_modules_and_compiles_in_each() -> None:
    files = {"go.work": "use ./a\nuse ./b\n"}
    for name in ("a", "b"):
        files |= {f"{name}/go.mod": f"module {name}", f"{name}/x_test.go": ""}
    environment = planned(files)
    assert setup(environment)[0] == "go mod download"
    assert [step.directory for step in environment.setup] == ["", "a", "b"]


@pytest.mark.parametrize("path", ["sub/x_test.go", "testdata/x_test.go", "vendor/y/x_test.go", "_old/x_test.go"])
def test_a_go_module_without_tests_of_its_own_leaves_it_to_others(path: str) -> None:
    files = {"go.mod": "module a", "sub/go.mod": "module a/sub", path: "", "Makefile": "test:\n\tgo run ./check\n"}
    inside = path.startswith("sub/")
    assert commands(planned(files)) == [
        ("go_test", "go test ./...", "sub") if inside else ("exit_code", "make test", "")
    ]


@pytest.mark.parametrize(
    ("steps", "options"),
    [
        ("go test -race -v -coverprofile=c.out -short ./...", "-short "),
        ("go test -tags netgo,integration -p 1 ./...", "-tags=netgo -p=1 "),
        ("go test -tags='netgo integration' ./...", "-tags=netgo "),
        ("go test --tags sqlite -vet=off ./...", "-tags=sqlite -vet=off "),
        ("gotestsum --format dots -- -gcflags=all=-l ./...", "-gcflags=all=-l "),
        ("make test", "-short "),
        ("go test -tags a ./... && go test ./...", ""),
        ("go test -run TestOne -short ./...", ""),
        ("cd tools && go test -short ./...", ""),
        ("go test -race -short ./... | tee out.txt", "-short "),
        ("go test -p 1 $(go list ./... | grep -v gen)", "-p=1 "),
        ("go test -tags $TAGS ./...", ""),
        ("go test -short ./test/e2e/...", ""),
    ],
)
def test_a_workflow_s_go_options_are_the_tests_own(steps: str, options: str) -> None:
    files = {**GO, "Makefile": "test: build\n\tgo test -short -race ./...\n", "tools/a.go": ""}
    environment = planned({**files, **workflow(f"      - run: {steps}\n")})
    assert commands(environment) == [("go_test", f"go test {options}./...", "")]
    assert f"-run=^$' {options}./..." in setup(environment)[1]
    assert bool(environment.left_out) is ("integration" in steps)


def test_what_a_workflow_says_of_go_s_servers_and_caches_is_not_the_box_s() -> None:
    variables = "    env:\n      GOPROXY: https://proxy.example.org\n      GOMODCACHE: /c\n"
    assert planned({**GO, **workflow("      - run: go test ./...\n", variables)}).test_variables == {}


OLD_GO = {
    "store.go": 'package old\n\nimport (\n\t"fmt"\n\tdisk "gopkg.example.org/team/old.v2/disk"\n)\n',
    "disk/disk.go": "package disk",
    "disk/disk_test.go": 'package disk\n\nimport "example.org/other/thing/disk"\n',
    "store_test.go": 'import "gopkg.example.org/team/old.v2/disk"',
}


def test_go_of_before_modules_is_made_a_module_by_the_path_that_its_packages_import() -> None:
    environment = planned({**OLD_GO, "Gopkg.lock": "", "vendor/x/x.go": "package x"})
    assert commands(environment) == [("go_test", "go test -vet=off ./...", "")]
    assert "-run=^$' -vet=off ./..." in setup(environment)[1]
    assert setup(environment)[0] == (
        "sh -c go mod init gopkg.example.org/team/old.v2 && go mod edit -go=1.16 && go mod tidy"
    )
    assert environment.manifests == ("Gopkg.lock",)
    assert environment.variables["GOFLAGS"] == "-mod=mod"


VENDORED_GO = {
    "cmd/run.go": '/* import "example.com/sample" */\npackage main\n\n'
    'import (\n\t"fmt"\n\tlog "github.com/x/log/text"\n)\n\n'
    'var names = []string{\n\t"github.com/no/import",\n}\n',
    "cmd/run_test.go": 'package main\n\nimport "github.com/x/check"\n',
    "testdata/a.go": 'package main\n\nimport "github.com/x/elsewhere"\n',
    "vendor/github.com/x/log/text/text.go": "package text",
    "vendor/github.com/x/check/check.go": "package check",
}


def test_go_of_before_modules_is_tested_with_what_its_vendor_folder_has_where_that_is_all() -> None:
    environment = planned(VENDORED_GO)
    assert commands(environment) == [("go_test", "go test -vet=off ./...", "")]
    made, compiled = setup(environment)
    assert made == "sh -c printf 'module %s\\n\\ngo 1.13\\n' example.invalid/base >go.mod"
    assert "-run=^$" in compiled
    assert environment.variables["GOFLAGS"] == "-mod=vendor"


@pytest.mark.parametrize(
    "changed",
    [
        {"vendor/github.com/x/check/check.go": None},
        {"vendor/github.com/x/check/check.go": None, "vendor/github.com/x/check/check_test.go": "package check"},
        {"vendor/github.com/x/check/check.go": 'package check\n\nimport "github.com/x/more"\n'},
        {"vendor/github.com/x/log/vendor/github.com/x/more/more.go": "package more"},
        {"a.go": '// of pkg/*\npackage main\n\nimport (\n\t"github.com/x/elsewhere" // pkg/*\n)\n'},
        {"examples/a.go": 'package main\n\n/*\nconst int n = 1;\n*/\nimport "github.com/x/elsewhere"\n'},
    ],
    ids=["missing", "its tests alone", "missing to another", "within another", "behind a comment", "for an example"],
)
def test_a_vendor_folder_that_lacks_what_is_imported_is_left_aside(changed: dict[str, str | None]) -> None:
    environment = planned({path: text for path, text in (VENDORED_GO | changed).items() if text is not None})
    assert "go mod tidy" in setup(environment)[0]
    assert environment.variables["GOFLAGS"] == "-mod=mod"


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({"a.go": 'package errors // import "example.org/pkg/errors"\n'}, "example.org/pkg/errors"),
        ({".travis.yml": "language: go\ngo_import_path: github.com/a/b\n", "b.go": "package b"}, "github.com/a/b"),
        ({"e_test.go": 'package e_test\n\nimport (\n\t"fmt"\n\n\t"github.com/a/go-e"\n)\n'}, "github.com/a/go-e"),
        ({"main.go": 'import "example.org/main/disk"\n', "disk/a.go": "package disk"}, "example.org/main"),
        ({"a.go": 'import "github.com/other/disk"\n', "disk/a.go": "package disk"}, "example.invalid/base"),
        ({"a.go": "package cli\n", "alt/b.go": 'import c "gopkg.in/a/cli.v1"\n'}, "gopkg.in/a/cli.v1"),
        ({"a.go": "package main\n", "alt/b.go": 'import "github.com/a/main"\n'}, "example.invalid/base"),
        ({"a.go": "package alone\n"}, "example.invalid/base"),
        ({"cmd/a/main.go": "package main", "glide.yaml": ""}, "example.invalid/base"),
    ],
)
def test_go_of_before_modules_may_say_its_path_or_need_none(files: dict[str, str], path: str) -> None:
    assert f"go mod init {path} " in setup(planned({**files, "x_test.go": "package errors"}))[0]


def test_go_of_before_modules_may_have_nothing_in_its_root() -> None:
    files = {"log/log.go": "package log", "log/log_test.go": "", "sd/a.go": 'import "github.com/a/kit/log"\n'}
    environment = planned({**files, ".travis.yml": "language: go\nscript: go test -race ./...\n"})
    assert setup(environment)[0].startswith("sh -c go mod init github.com/a/kit ")
    with pytest.raises(NoTestsError):
        planned({**files, "sd/a.go": 'import "github.com/a/log"\n'})


@pytest.mark.parametrize(
    ("directive", "files", "made"),
    [
        ("build/*", [], "ui/build/index.html"),
        ("all:dist", [], "ui/dist/index.html"),
        ('"dist/*.js" `data.json`', ["ui/data.json"], "ui/dist/index.js"),
        ("dist/*/a.css", [], "ui/dist/index/a.css"),
        ("build/*", ["ui/build/a.css"], None),
        ("build", ["ui/build/deep/a.css"], None),
        ("*.html", ["ui/index.html"], None),
        ("../other /etc/passwd a[b].js", [], None),
    ],
)
def test_what_a_go_program_embeds_of_a_front_end_that_is_not_built_is_stood_in_for(
    directive: str, files: list[str], made: str | None
) -> None:
    source = f'package ui\n\nimport "embed"\n\n//go:embed {directive}\nvar files embed.FS\n'
    environment = planned({**GO, "ui/serve.go": source, **dict.fromkeys(files, "")})
    stood_in = [line.rpartition(" ")[2] for line in setup(environment) if line.startswith("install ")]
    assert stood_in == ([made] if made else [])
    assert sum("instead of what a build makes" in told for told in environment.evidence) == len(stood_in)
    assert not any(command.required for command in environment.setup if command.argv[0] == "install")


def test_a_go_package_in_the_front_end_s_folder_is_the_module_s() -> None:
    front_end = {"ui/package.json": "{}", "ui/serve.go": "package ui\n//go:embed build/*\nvar files embed.FS\n"}
    environment = planned({**GO, **front_end})
    assert environment.setup[0].argv[-1] == "ui/build/index.html"


def test_what_a_front_end_s_folder_has_is_not_stood_in_for() -> None:
    mail = {"mail/package.json": "{}", "mail/serve.go": "package mail\n//go:embed a.tmpl dist/*\nvar files embed.FS\n"}
    environment = planned({**GO, **mail, "mail/a.tmpl": "", "mail/dist/index.html": ""})
    assert not any(line.startswith("install ") for line in setup(environment))


def test_what_others_programs_embed_is_not_looked_for() -> None:
    source = "package a\n//go:embed none/*\n"
    files = {f"{folder}/a.go": source for folder in ("vendor/b", "x/testdata")}
    assert not any(line.startswith("install ") for line in setup(planned({**GO, **files})))


@pytest.mark.parametrize(
    ("folder", "manifest", "is_tested"),
    [
        ("tests", "module example.com/a/tests\n\nreplace example.com/a => ../\n", True),
        ("tests", "module t\nreplace (\n\texample.com/a v1.2.3 => ..\n)\n", True),
        ("internal/test", "module t\nreplace example.com/a => ../..", True),
        ("tests", "module t\nreplace example.com/b => ../\n", False),
        ("tests", "module t\nreplace example.com/a => ./\n", False),
        ("extra/redis", "module t\nreplace example.com/a => ../..\n", False),
    ],
)
def test_a_go_module_that_holds_tests_of_the_roots_is_tested_beside_it(
    folder: str, manifest: str, is_tested: bool
) -> None:
    environment = planned({**GO, f"{folder}/go.mod": manifest, f"{folder}/deep/x_test.go": "package x"})
    assert [command.directory for command in environment.tests] == (["", folder] if is_tested else [""])
    fetched = [command.directory for command in environment.setup if command.argv == ("go", "mod", "download")]
    assert fetched == (["", folder] if is_tested else [""])


def test_a_go_file_in_some_folder_makes_no_go_project() -> None:
    files = {"Makefile": "test:\n\t./run\n", "main.c": "", "tools/gen.go": "", "tools/gen_test.go": ""}
    assert commands(planned(files)) == [("exit_code", "make test", "")]


def test_a_workflow_s_options_stand_beside_those_of_go_of_before_modules() -> None:
    environment = planned({**OLD_GO, **workflow("      - run: go test -short ./...\n")})
    assert commands(environment) == [("go_test", "go test -short -vet=off ./...", "")]
    assert "-run=^$' -short -vet=off ./..." in setup(environment)[1]


def test_where_a_workflow_has_its_go_and_for_which_machines_it_builds_is_not_the_box_s() -> None:
    variables = (
        "    env:\n      GOPATH: ${{ github.workspace }}\n      GO111MODULE: off\n      GOOS: windows\n"
        "      CGO_ENABLED: 1\n      A: b\n"
    )
    environment = planned({**GO, **workflow("      - run: go test ./...\n", variables)})
    assert environment.test_variables == {"A": "b"}
    assert "GO111MODULE" not in environment.variables
    assert environment.variables["CGO_ENABLED"] == "1"
    assert environment.variables["GOPATH"] == "/env/go"


GO_THAT_VETS = """#!/bin/sh
echo "$@" >>tries
case "$*" in *-vet=off*) ;; test*) exit 1 ;; esac
"""


@pytest.mark.parametrize("flags", ["", "-mod=readonly"])
def test_vet_is_left_out_where_nothing_hides_that_from_go(tmp_path: Path, flags: str) -> None:
    """The variable goes before what ``go env -w`` writes."""
    set_by_ci = f"    env:\n      GOFLAGS: {flags}\n" if flags else ""
    environment = planned({**GO, **workflow("      - run: go test ./...\n", set_by_ci)})
    assert environment.variables.get("GOFLAGS", "") == flags
    (tmp_path / "go").write_text(GO_THAT_VETS)
    (tmp_path / "go").chmod(0o755)
    argv, variables = environment.setup[-1].argv, {"PATH": f"{tmp_path}:/usr/bin:/bin", "GOFLAGS": flags}
    ended = subprocess.run(argv, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True)
    assert ("its tests are run without" in ended.stdout) == (not flags)
    assert ("env -w GOFLAGS=-vet=off\n" in (tmp_path / "tries").read_text()) == (not flags)


RUST = {"Cargo.toml": '[package]\nname = "a"\nrust-version = "1.70"\n', "src/lib.rs": "#[test]\nfn a() {}\n"}


def test_a_rust_crate() -> None:
    environment = planned(RUST)
    assert commands(environment) == [("cargo", "cargo test", "")]
    kept = setup(environment)[-1]
    assert [str(step) for step in environment.setup[:-1]] == ["cargo fetch", "cargo test --no-run"]
    assert kept.startswith("python3 ")
    assert kept.endswith(" /env/cargo-target")
    assert environment.tools == (Tool("cargo", ">=1.70", "Cargo.toml rust-version"),)


@pytest.mark.parametrize(
    ("said", "kept", "tried"),
    [
        ("note: `#[deny(unused_variables)]` implied by `#[deny(warnings)]`", "", 2),
        ("note: requested on the command line with `-D unused`", "", 2),
        ("note: `#[deny(warnings)]`", "of a crate beside", 1),
        ("error[E0308]: mismatched types", "", 1),
        ("", "", 1),
    ],
)
def test_only_what_a_lint_forbids_is_compiled_again(tmp_path: Path, said: str, kept: str, tried: int) -> None:
    """Else what needs half of set-up's time, and does not compile, would need all of it, and fail set-up."""
    (compiling,) = (step for step in planned(RUST).setup if str(step) == "cargo test --no-run")
    assert compiling.otherwise == ()  # with others in its place it would have half of the time
    cargo, settings = tmp_path / "cargo", tmp_path / "config.toml"
    cargo.write_text(f"#!/bin/sh\necho . >>tries\necho '{said}' >&2\n[ ! '{said}' ] || grep -q . config.toml\n")
    cargo.chmod(0o755)
    if kept:
        settings.write_text(kept)
        cargo.write_text(cargo.read_text() + "exit 1\n")
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path), "CARGO_HOME": str(tmp_path)}
    ended = subprocess.run(compiling.argv, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert (tmp_path / "tries").read_text() == ".\n" * tried
    assert (ended.returncode == 0) == (tried == 2 or not said)
    assert ended.stdout.count("note of set-up:") == tried - 1
    assert settings.exists() == (tried == 2 or bool(kept))


CARGO = """#!/bin/sh
if test "$1" = metadata; then cat metadata.json; else echo "$@" >asked; rm -r target/own; fi
"""


def test_what_cargo_compiled_of_others_crates_is_kept_and_nothing_of_the_repository_s_own(tmp_path: Path) -> None:
    index = "registry+https://github.com/rust-lang/crates.io-index"
    packages = [("a", "0.1.0", None), ("serde", "1.0.0", index), ("b", "2.0.0", None)]
    metadata = {
        "packages": [dict(zip(("name", "version", "source"), package, strict=True)) for package in packages],
        "target_directory": str(tmp_path / "target"),
    }
    for path, text in {"metadata.json": json.dumps(metadata), "target/serde": "1", "target/own/a": "1"}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "cargo").write_text(CARGO)
    (tmp_path / "cargo").chmod(0o755)
    *program, place = planned(RUST).setup[-1].argv
    search_path = f"{tmp_path}:{os.environ['PATH']}"
    subprocess.run((*program, str(tmp_path / "kept")), cwd=tmp_path, env={"PATH": search_path}, check=True)
    assert (tmp_path / "asked").read_text() == "clean --offline -p a:0.1.0 -p b:2.0.0\n"
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["serde"]
    assert not (tmp_path / "target").exists()
    assert place == COMPILED


def test_a_rust_workspace_with_a_lock_file_and_nextest() -> None:
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
        "Cargo.lock": "",
        ".config/nextest.toml": "",
        "crates/a/Cargo.toml": "[package]",
        "crates/a/tests/it.rs": "#[test]\nfn a() {}",
    }
    environment = planned(files, "crates/a/tests/it.rs fails")
    assert commands(environment) == [("nextest", "cargo nextest run --workspace", "")]
    assert setup(environment)[0] == "cargo fetch --locked"
    assert [tool.program for tool in environment.tools] == ["cargo"]  # nextest may be missing: cargo tests, too
    assert "crates/a/Cargo.toml" in environment.manifests


def test_documentation_is_tested_beside_nextest_where_there_is_a_library() -> None:
    environment = planned({**RUST, ".config/nextest.toml": ""})
    assert commands(environment) == [("nextest", "cargo nextest run", ""), ("cargo_doc", "cargo test --doc", "")]


@pytest.mark.parametrize(
    ("path", "text", "preferred"),
    [
        ("rust-toolchain.toml", '[toolchain]\nchannel = "1.81.0"\n', ">=1.81.0"),
        ("rust-toolchain", "1.55\n", ">=1.55"),
        ("rust-toolchain", '[toolchain]\nchannel = "1.60"\n', ">=1.60"),
        ("rust-toolchain.toml", '[toolchain]\nchannel = "nightly-2024-01-01"\n', ""),
        ("rust-toolchain.toml", "toolchain = 1\n", ""),
    ],
)
def test_the_release_of_a_toolchain_file_is_preferred(path: str, text: str, preferred: str) -> None:
    tools = planned({**RUST, path: text}).tools
    assert [tool.preferred for tool in tools if tool.source == path] == ([preferred] if preferred else [])


@pytest.mark.parametrize(
    ("steps", "options"),
    [
        ("cargo test --all-features", " --all-features"),
        ("cargo +stable test --features a,b --verbose", " --features=a,b"),
        ("cargo nextest run -F a --no-default-features", " -F=a --no-default-features"),
        ("cargo test --features a -- --nocapture", " --features=a"),
        ("cargo test --features a && cargo test", ""),
        ("cargo test --no-default-features && cargo test --all-features", " --all-features"),
        ("cargo test --no-default-features", " --no-default-features"),
        ("cargo test -p a --all-features", ""),
        ("cargo test --target i686-unknown-linux-gnu --all-features", ""),
        ("cargo test --target x86_64-unknown-linux-gnu --all-features", " --all-features"),
        ("cargo test --all-features --target=x86_64-unknown-linux-gnu", " --all-features"),
        ("cargo test --target x86_64-unknown-linux-gnux32 --all-features", ""),
        ("cargo test --doc --all-features", ""),
        ("cargo check --all-features", ""),
        ("cargo test --manifest-path ./Cargo.toml --all-features", " --all-features"),
        ("cargo test --manifest-path=sub/Cargo.toml --all-features", ""),
        ("cargo test --workspace --exclude bench --all-features", " --all-features"),
        ("cargo test -Z build-std --all-features", ""),
        ("cargo llvm-cov --all-features --workspace --lcov --output-path lcov.info", " --all-features"),
        ("cargo llvm-cov nextest --features a", " --features=a"),
        ("cargo llvm-cov test --features a", " --features=a"),
        ("cargo nextest r --features a", " --features=a"),
        ("cargo +nightly llvm-cov --all-features", ""),
        ("cargo tarpaulin --features a --out xml", " --features=a"),
        (
            "cargo llvm-cov clean --workspace && cargo llvm-cov --no-report --features a && cargo llvm-cov report",
            " --features=a",
        ),
        ("cargo test --features ${{ secrets.A }}", ""),
        ("cargo test behaviour --features a", ""),
        ("cargo test --release stress --features=a", ""),
        ("cargo test --features a -- --ignored", ""),
        ("cargo test --features a -- --include-ignored --skip slow", " --features=a"),
        ("cargo test -j 2 --profile ci --features a --color always", " --features=a"),
        ("cargo nextest run --cargo-profile ci --features a", " --features=a"),
    ],
)
def test_a_workflow_s_features_are_the_tests_own(steps: str, options: str) -> None:
    environment = planned({**RUST, **workflow(f"      - run: {steps}\n")})
    assert commands(environment) == [("cargo", f"cargo test{options}", "")]
    assert str(environment.setup[1]) == f"cargo test --no-run{options}"
    assert " ".join(environment.setup[1].argv).endswith(f"cargo test --no-run{options}")


def test_what_travis_switched_on_for_a_compiler_to_come_is_not_taken() -> None:
    jobs = "  - {rust: stable}\n  - {rust: nightly, env: [FEATURES=new, BENCH=true]}\n"
    travis = f'language: rust\nmatrix:\n  include:\n{jobs}script: [cargo test --features "$FEATURES"]\n'
    assert commands(planned({**RUST, ".travis.yml": travis})) == [("cargo", "cargo test", "")]
    released = travis.replace("nightly", "stable")
    assert commands(planned({**RUST, ".travis.yml": released})) == [("cargo", "cargo test --features=new", "")]


def test_what_a_job_for_other_code_switches_on_is_not_taken_where_the_test_job_says_nothing_known() -> None:
    steps = "      - run: cargo test --features ${{ secrets.A }}\n"
    others = "  unstable:\n    runs-on: ubuntu-latest\n    steps:\n      - run: cargo test --features new\n"
    jobs = workflow(steps)[".github/workflows/ci.yml"] + others
    assert commands(planned({**RUST, ".github/workflows/ci.yml": jobs})) == [("cargo", "cargo test", "")]
    covered = jobs.replace("unstable:", "coverage:")
    environment = planned({**RUST, ".github/workflows/ci.yml": covered})
    assert commands(environment) == [("cargo", "cargo test --features=new", "")]


def test_options_that_several_suites_share_are_told_once_to_what_compiles_them() -> None:
    files = {**RUST, ".config/nextest.toml": "", **workflow("      - run: cargo nextest run --all-features\n")}
    environment = planned(files)
    assert [argv for _, argv, _ in commands(environment)] == [
        "cargo nextest run --all-features",
        "cargo test --doc --all-features",
    ]
    assert str(environment.setup[1]) == "cargo test --no-run --all-features"


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("RUSTC_WRAPPER", "sccache", None),
        ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver", None),
        ("CMAKE_CXX_COMPILER_LAUNCHER", "ccache", None),
        ("RUSTFLAGS", "-C link-arg=-fuse-ld=lld --cfg fast", "--cfg fast"),
        ("RUSTFLAGS", "-Clinker=clang -Clink-arg=-fuse-ld=/usr/bin/mold", None),
        ("RUSTFLAGS", "-C link-arg=-s", "-C link-arg=-s"),
    ],
)
def test_what_a_workflow_installs_around_a_compiler_is_not_asked_of_the_image(
    name: str, value: str, left: str | None
) -> None:
    environment = planned({**RUST, **workflow("      - run: cargo test\n", f"    env:\n      {name}: {value}\n")})
    assert {**environment.variables, **environment.test_variables}.get(name) == left


def test_members_that_a_workflow_excludes_are_excluded_unless_it_tests_them_too() -> None:
    files = {**RUST, "Cargo.toml": "[workspace]\nmembers = ['a', 'window']\n"}
    one = "      - run: cargo test --workspace --exclude window --features a\n"
    assert commands(planned({**files, **workflow(one)}))[0][1] == "cargo test --workspace --features=a --exclude=window"
    both = f"{one}      - run: cargo test --workspace --features a\n"
    assert commands(planned({**files, **workflow(both)}))[0][1] == "cargo test --workspace --features=a"


def test_another_job_says_the_features_where_the_likeliest_tests_parts_alone() -> None:
    jobs = workflow("      - run: cargo test -p a --all-features\n")
    other = "  sqlite:\n    runs-on: ubuntu-latest\n    steps:\n      - run: cargo test --features sqlite\n"
    environment = planned({**RUST, ".github/workflows/ci.yml": jobs[".github/workflows/ci.yml"] + other})
    assert commands(environment) == [("cargo", "cargo test --features=sqlite", "")]


def test_a_program_in_rust_that_is_handed_out_by_python_s_index_is_tested_as_rust() -> None:
    files = {
        **RUST,
        "src/b.rs": "",
        "pyproject.toml": '[build-system]\nrequires = ["maturin"]\n[tool.maturin]\nbindings = "bin"\n',
        "python/test_a.py": "def test(): pass",
    }
    assert commands(planned(files)) == [("cargo", "cargo test", "")]


def test_what_tests_read_says_nothing_of_the_language_they_are_in() -> None:
    data = {f"crates/parser/tests/specs/{n}.test.js": "" for n in range(9)}
    package = {"package.json": '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}}', "a.test.js": ""}
    assert commands(planned({**RUST, "src/b.rs": "", **package, **data}))[0][0] == "cargo"


def test_what_builds_read_of_a_workflow_holds_in_set_up_too_and_warnings_are_no_errors() -> None:
    variables = "    env:\n      RUSTFLAGS: --cfg fast -D warnings -Z sanitizer=thread -Zextra\n"
    variables += "      RUSTDOCFLAGS: -Dwarnings\n      APP_KEY: k\n"
    variables += "      CC: aarch64-linux-gnu-gcc\n"
    environment = planned({**RUST, **workflow("      - run: cargo test\n", variables)})
    assert environment.variables["RUSTFLAGS"] == "--cfg fast"
    assert environment.test_variables == {"APP_KEY": "k"}
    assert environment.evidence[-1].endswith("variables APP_KEY, RUSTFLAGS")


def test_the_gemfile_of_a_workflow_is_the_one_that_set_up_installs() -> None:
    variables = "    env:\n      BUNDLE_GEMFILE: gemfiles/rack_2.gemfile\n"
    files = {"Gemfile": "gem 'rspec'", "spec/a_spec.rb": "", "gemfiles/rack_2.gemfile": "", "Gemfile.local": ""}
    environment = planned({**files, **workflow("      - run: bundle exec rspec\n", variables)})
    assert environment.variables["BUNDLE_GEMFILE"] == "gemfiles/rack_2.gemfile"
    assert {"gemfiles/rack_2.gemfile", "Gemfile.local"} <= set(environment.manifests)


def test_a_python_package_written_in_rust_is_tested_as_python() -> None:
    files = {
        **RUST,
        "src/b.rs": "",
        "pyproject.toml": '[build-system]\nrequires = ["maturin"]\nbuild-backend = "maturin"\n',
        "tests/test_a.py": "",
    }
    assert commands(planned(files))[0][0] == "pytest"


POM = "<project><properties><maven.compiler.release>17</maven.compiler.release></properties></project>"


def test_a_maven_project() -> None:
    environment = planned({"pom.xml": POM, "src/test/java/org/a/ATest.java": "", "core/pom.xml": ""})
    assert commands(environment) == [("maven", "mvn -Dmaven.repo.local=/env/m2 test", "")]
    compiled, fetched, cleared = setup(environment)
    assert compiled.endswith("test-compile")
    assert cleared.startswith("find ")
    assert " -Dtest=*#noSuchTest " in fetched  # a class that there is, or what runs it is not fetched
    assert environment.tools == (Tool("java", ">=17", "pom.xml"), Tool("mvn", "", "pom.xml"))
    assert environment.manifests == ("core/pom.xml", "pom.xml")


def test_a_maven_wrapper_stands_for_maven() -> None:
    files = {
        "pom.xml": POM,
        "mvnw": "#!/bin/sh\n",
        ".mvn/wrapper/maven-wrapper.properties": "",
        "a/src/test/kotlin/ATest.kt": "",
    }
    environment = planned(files)
    assert commands(environment)[0][1].startswith("./mvnw ")
    assert [tool.program for tool in environment.tools] == ["java"]


@pytest.mark.parametrize(
    ("build", "version"),
    [
        ("java { toolchain { languageVersion.set(JavaLanguageVersion.of(21)) } }", ">=21"),
        ("sourceCompatibility = '1.8'", ">=8"),
        ("sourceCompatibility = JavaVersion.VERSION_11", ">=11"),
        ("plugins { id 'java' }", ""),
    ],
)
def test_a_gradle_project(build: str, version: str) -> None:
    read = (
        "gradle/libs.versions.toml",
        "deps.versions.toml",
        "versions.properties",
        "build-logic/src/main/kotlin/A.kt",
    )
    environment = planned({"build.gradle": build, "src/test/groovy/ASpec.groovy": "", **dict.fromkeys(read, "")})
    assert commands(environment) == [("gradle", "gradle test", "")]
    assert environment.tools == (Tool("java", version, "build.gradle"), Tool("gradle", "", "build.gradle"))
    assert set(read) <= set(environment.manifests)
    assert environment.test_variables["GRADLE_RO_DEP_CACHE"].startswith("/env/")


WRAPPED = {"build.gradle": "", "gradlew": "", "gradle/wrapper/gradle-wrapper.jar": "", "src/test/java/A.java": ""}


def test_a_wrapper_that_is_no_program_is_started_by_the_shell() -> None:
    assert " sh gradlew --no-daemon " in setup(planned(WRAPPED))[0]
    files = {"pom.xml": POM, "mvnw": "", ".mvn/wrapper/maven-wrapper.properties": "", "src/test/java/ATest.java": ""}
    assert commands(planned(files))[0] == ("maven", "sh mvnw -Dmaven.repo.local=/env/m2 test", "")


@pytest.mark.parametrize(
    ("gradle", "java"),
    [
        ("4.10.2-bin", "<11"),
        ("6.9.2-all", "<16"),
        ("8.14-bin", "<25"),
        ("9.0.0-bin", ">=17,<25"),
        ("9.6.1-bin", ">=17"),
        ("10.1-bin", ">=17"),
    ],
)
def test_a_gradle_wrapper_asks_for_a_java_that_its_gradle_runs_on(gradle: str, java: str) -> None:
    path = "gradle/wrapper/gradle-wrapper.properties"
    text = f"distributionBase=X\ndistributionUrl=https\\://example.org/distributions/gradle-{gradle}.zip\n"
    environment = planned({**WRAPPED, path: text, "build.gradle": "sourceCompatibility = 1.8"})
    assert environment.tools == (Tool("java", ">=8", "build.gradle"), Tool("java", java, path))


@pytest.mark.parametrize(
    ("pom", "versions", "preferred"),
    [
        ("<properties><maven.compiler.release>21</maven.compiler.release></properties>", ">=21", ""),
        ("<jdk>1.5</jdk><source>${jdk}</source><target>${jdk}</target>", ">=5", "<9"),
        ("<source>1.6</source>", ">=6", "<12"),
        ("<java.version>1.7</java.version>", ">=7", "<20"),
        ("<source>${elsewhere}</source><target>8</target>", ">=8", ""),
        ("<source>src/main</source>", "", ""),
    ],
)
def test_maven_s_compiler_says_which_java_it_takes(pom: str, versions: str, preferred: str) -> None:
    tools = planned({"pom.xml": pom, "src/test/java/ATest.java": ""}).tools
    assert tools[0] == Tool("java", versions, "pom.xml", preferred=preferred)


def test_whether_maven_goes_on_after_a_failure_is_not_the_workflow_s_to_say() -> None:
    variables = "    env:\n      MAVEN_ARGS: -B --fail-fast -T4 -DskipTests=true -e\n"
    files = {"pom.xml": POM, "src/test/java/ATest.java": "", **workflow("      - run: mvn verify\n", variables)}
    assert planned(files).variables["MAVEN_ARGS"] == "-B -e"


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("mvn -B verify -P slow-tests -Dlicense.skip=true", " -Pslow-tests -Dlicense.skip=true"),
        ("./mvnw clean test --activate-profiles Slow,release -D'checkstyle.skip'", " -PSlow -Dcheckstyle.skip"),
        ("mvn test --define rat.skip -Dc.skip=${{ secrets.C }} ${EXTRA}", " -Drat.skip"),
        ("mvn test -Dskip.unit.tests=true -DskipUTs -Dskip.surefire.tests", ""),
        ("mvn verify -Dit.skip -Dunit-tests.skip=true -Da.its.skip -Daudit.skip", " -Daudit.skip"),
        ("mvn test -Pquick,native,no-tests -Dquickly -Dtests=fast", ""),
        ("mvn test -Duser.home=/home/runner -Ddb.password=ci -DargLine=-javaagent:/opt/a.jar", ""),
        (
            "mvn test -Dmaven.test.failure.ignore=true -Dsurefire.rerunFailingTestsCount=2 -Dgpg.skip -DtrimStackTrace",
            " -Dgpg.skip",
        ),
        ("mvn -q install -DskipTests -Pfast && mvn test -Ptested", " -Ptested"),
        ("mvn test -Dtest=ATest -Da.skip", ""),
        ("mvn test -pl core -Da.skip", ""),
        ("mvn test -pl '!benchmarks' -fae -Da.skip", " -Da.skip"),
        ("mvn --file it/pom.xml test -Da.skip", ""),
        ("mvn test -Da.skip && mvn verify", ""),
        ("mvn test -Djava.version=21 -DtestJdk=17", ""),
        ("mvn verify -Psonar,'!docs'", " '-P!docs'"),
    ],
)
def test_a_workflow_s_profiles_and_properties_of_maven_are_the_tests_own(command: str, options: str) -> None:
    files = {"pom.xml": POM, "src/test/java/ATest.java": "", **workflow(f"      - run: {command}\n")}
    environment = planned(files)
    assert str(environment.tests[0]) == f"mvn -Dmaven.repo.local=/env/m2 test{options}"
    assert str(environment.setup[0]) == f"mvn -Dmaven.repo.local=/env/m2 --batch-mode test-compile{options}"
    assert str(environment.setup[1]).endswith(f" test{options}")


def test_a_workflow_s_profile_of_integration_tests_is_told_and_left_out() -> None:
    steps = "      - run: mvn verify -Pintegration-tests,all\n"
    environment = planned({"pom.xml": POM, "src/test/java/ATest.java": "", **workflow(steps)})
    assert commands(environment)[0][1].endswith(" test -Pall")
    assert environment.left_out == ("tests of the profile integration-tests, which want more than a sandbox has",)


def test_a_gradle_wrapper_fetches_everything_in_set_up_and_tests_go_without_it() -> None:
    files = {**WRAPPED, "gradlew": "#!/bin/sh\n"}
    environment = planned(files)
    assert commands(environment) == [("gradle", "gradle test", "")]
    assert [tool.program for tool in environment.tools] == ["java"]
    compiled, fetched, unwrapped = setup(environment)[:3]
    assert all("./gradlew" in line and "GRADLE_USER_HOME=/env/gradle" in line for line in (compiled, fetched))
    assert fetched.endswith("test --tests NoSuchTest")
    assert "/env/gradle/wrapper/dists/*/*/*/bin/gradle /env/bin/" in unwrapped


def test_kotlin_for_several_platforms_is_tested_on_the_jvm() -> None:
    files = {"settings.gradle.kts": "", "core/build.gradle.kts": "", "core/src/commonTest/kotlin/ATest.kt": ""}
    environment = planned(files)
    assert commands(environment) == [("gradle", "gradle jvmTest", "")]
    assert [line.split("plain ")[1] for line in setup(environment)[:2]] == [
        "jvmTestClasses",
        "--continue jvmTest --tests NoSuchTest",
    ]
    both = planned({**files, "app/src/test/java/BTest.java": ""})
    assert [argv for _, argv, _ in commands(both)] == ["gradle test", "gradle jvmTest"]
    assert setup(both)[0].endswith("testClasses jvmTestClasses")


@pytest.mark.parametrize(
    ("folder", "path", "is_found"),
    [
        ("src/test", "src/test/org/ATest.java", True),
        ("${basedir}/test/", "test/org/ATest.java", True),
        ("src/test", "src/test/resources/a.txt", False),
        ("../elsewhere", "src/test/org/ATest.java", False),
    ],
)
def test_maven_may_be_told_where_its_tests_stand(folder: str, path: str, is_found: bool) -> None:
    pom = f"<project><build>\n<testSourceDirectory>\n {folder}</testSourceDirectory></build></project>"
    for place in ("", "core/"):
        files = {"pom.xml": "<modules>", f"{place}pom.xml": pom, f"{place}{path}": "", "Makefile": "test:\n\t./a\n"}
        assert (commands(planned(files))[0][0] == "maven") == is_found


def test_gradle_s_settings_alone_make_a_project_of_a_folder() -> None:
    files = {"android/settings.gradle": "", "android/app/build.gradle": "", "android/app/src/test/java/ATest.java": ""}
    assert commands(planned({**files, "README.md": ""})) == [("gradle", "gradle test", "android")]


@pytest.mark.parametrize(("manifest", "output"), [("pom.xml", "target"), ("build.gradle.kts", "build")])
def test_what_java_compiles_in_set_up_is_no_part_of_the_layer(manifest: str, output: str, tmp_path: Path) -> None:
    files = {manifest: "", f"core/{manifest}": "", "core/src/test/java/A.java": ""}
    made = [f"{output}/a.class", f"core/{output}/classes/a.class", "core/src/main/java/a.java", f"docs/{output}/page"]
    for path in (*files, *made):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    (clearing,) = (c.argv for c in planned(files).setup if c.argv[0] == "find")
    subprocess.run(clearing, cwd=tmp_path, check=True)
    assert [path for path in made if (tmp_path / path).exists()] == made[2:]


def test_ruby_specs_with_a_gemfile() -> None:
    files = {"Gemfile": "source 'https://rubygems.org'\nruby '~> 3.1'\n", "spec/a_spec.rb": "", "lib/a.rb": ""}
    environment = planned(files)
    assert commands(environment) == [("rspec", "bundle exec rspec", "")]
    assert setup(environment) == ["bundle install --jobs 2"]
    assert environment.tools == (Tool("ruby", "~=3.1", "Gemfile"), Tool("bundle", "", "Gemfile"))


@pytest.mark.parametrize(
    ("gemfile", "gemspec", "file", "asked"),
    [
        ("ruby '3.1.2'\n", "", "", [("==3.1.2", "")]),
        ("ruby '3.1'\n", "", "", [("==3.1.*", "")]),
        ('ruby ">= 2.7", "< 4"\n', "", "", [(">=2.7,<4", "")]),
        ("gem 'rake'\n", "  s.required_ruby_version = '~> 2.3'\n", "", [("~=2.3", "")]),
        ("", "  s.required_ruby_version = Gem::Requirement.new('>= 3.0')\n", "3.3.1\n", [(">=3.0", ">=3.3")]),
        ("", "s.required_ruby_version = ['>= 2.4', '< 3.5.dev']\n", "", [(">=2.4", "")]),
        ("ruby ['3.0.2', RUBY_VERSION].max\n", "", "", [(">=3.0.2", "")]),
        ("ruby RUBY_VERSION\n", "", "", [("", "")]),
        ("ruby ['3.0.2', RUBY_VERSION].min\n", "", "", [("==3.0.2", "")]),
        ("ruby ENV['RUBY_VERSION'] || '3.1'\n", "", "", [("==3.1.*", "")]),
        ("", "", "ruby-3.2.2\n", [(">=3.2", "")]),
        ("ruby '2.5.3', engine: 'jruby', engine_version: '9.2.5.0'\n", "", "", [("", "")]),
        ("ruby file: '.ruby-version'\n", "", "3.2.2\n", [(">=3.2", "")]),
    ],
)
def test_ruby_is_asked_for_as_bundler_will(gemfile: str, gemspec: str, file: str, asked: list[tuple[str, str]]) -> None:
    files = {"Gemfile": gemfile, "spec/a_spec.rb": ""}
    files |= {"a.gemspec": gemspec} if gemspec else {}
    files |= {".ruby-version": file} if file else {}
    tools = [tool for tool in planned(files).tools if tool.program == "ruby"]
    assert [(tool.versions, tool.preferred) for tool in tools] == asked


def test_another_ruby_is_asked_for_by_its_own_name() -> None:
    files = {"Gemfile": "", "spec/a_spec.rb": "", ".ruby-version": "jruby-9.4.5.0\n"}
    assert planned(files).tools[0] == Tool("jruby", ">=9.4", ".ruby-version")


GEMS = {
    "Gemfile": "gemspec\n",
    "Rakefile": "",
    "all.gemspec": "s.required_ruby_version = '>= 3.1'",
    "core/core.gemspec": "",
    "core/Rakefile": "Rake::TestTask.new do |t|\n  t.libs << 'test/lib'\nend\n",
    "core/test/cases/base_test.rb": "require 'minitest'",
    "web/web.gemspec": "",
    "web/spec/page_spec.rb": "require 'rspec'",
    "alone/Gemfile": "",
    "alone/alone.gemspec": "",
    "alone/spec/a_spec.rb": "",
    "test/fixtures/gem/gem.gemspec": "",
    "test/fixtures/gem/spec/x_spec.rb": "",
    **{f"core/test/fixtures/{number}/a.gemspec": "" for number in range(50)},
}


def test_gems_that_share_a_gemfile_are_tested_each_in_its_folder() -> None:
    environment = planned(GEMS)
    assert commands(environment) == [
        ("minitest", "bundle exec ruby -Ilib:test:test/lib test/cases/base_test.rb", "core"),
        ("rspec", "bundle exec rspec", "web"),
    ]
    assert [step.directory for step in environment.setup] == [""]
    assert environment.evidence[:3] == ("Gemfile", "core/test/**/*.rb", "web/spec/**/*_spec.rb")
    assert {"core/core.gemspec", "web/web.gemspec"} <= set(environment.manifests)


@pytest.mark.parametrize(
    ("path", "folder"), [("core/test/cases/base_test.rb", "core"), ("alone/spec/a_spec.rb", "alone")]
)
def test_the_gem_whose_files_the_issue_names_is_tested(path: str, folder: str) -> None:
    assert [command.directory for command in planned(GEMS, f"see {path}").tests] == [folder]


@pytest.mark.parametrize(
    ("rakefile", "tests"),
    [
        ("Rake::TestTask.new(:test) do |t|\n  t.pattern = 'test/unit/*.rb'\nend\n", "test/unit/parse.rb"),
        ("Rake::TestTask.new do |t|\n  t.pattern = 'test/**/*.rb'\nend\n", "test/a_test.rb test/slow/b_test.rb"),
        (
            "Rake::TestTask.new('test') do |t|\n"
            "  t.test_files = FileList['test/**/*_test.rb'].exclude('test/slow/**/*')\nend\n",
            "test/a_test.rb",
        ),
        ("Minitest::TestTask.create do |t|\n  t.test_globs = %w[test/slow/*.rb]\nend\n", "test/slow/b_test.rb"),
        (
            "Rake::TestTask.new do |t|\n  t.pattern = [\n    'x/*.rb',\n    'test/slow/*.rb',\n  ]\nend\n",
            "test/slow/b_test.rb",
        ),
        ("Rake::TestTask.new(:test)\n", "test/test_parse.rb"),
        ("Rake::TestTask.new\n", "test/test_parse.rb"),
        ("Rake::TestTask.new(:test, &settings)\n", "test/a_test.rb test/slow/b_test.rb test/test_parse.rb"),
        ("Rake::TestTask.new('test:slow') do |t|\n  t.pattern = 'x/*.rb'\nend\n", "test/a_test.rb test/slow/b_test.rb"),
        ('Rake::TestTask.new do |t|\n  t.pattern = "#{ROOT}/*.rb"\nend\n', "test/a_test.rb test/slow/b_test.rb"),
    ],
)
def test_the_files_of_a_rakefile_s_test_task_are_the_suite(rakefile: str, tests: str) -> None:
    names = ("test/a_test.rb", "test/slow/b_test.rb", "test/unit/parse.rb", "test/test_helper.rb")
    files = dict.fromkeys((*names, *(["test/test_parse.rb"] if "test_parse" in tests else [])), "")
    assert commands(planned({**files, "Rakefile": rakefile})) == [("minitest", f"ruby -Ilib:test {tests}", "")]


def test_a_gem_s_extension_is_compiled_for_its_tests() -> None:
    files = {
        "Gemfile": "gemspec",
        "spec/a_spec.rb": "",
        "ext/fast/extconf.rb": "",
        "Rakefile": "Rake::ExtensionTask.new",
    }
    assert setup(planned(files))[1] == "bundle exec rake compile"


def test_cucumber_s_features_are_told_to_be_left_out() -> None:
    files = {"Gemfile": "gem 'cucumber'", "spec/a_spec.rb": "", "features/a.feature": ""}
    assert planned(files).left_out == (
        "features/, which cucumber runs: no result of a single test of it can be read here",
    )


def test_gems_rb_is_a_gemfile() -> None:
    environment = planned({"gems.rb": "", "spec/a_spec.rb": ""})
    assert commands(environment) == [("rspec", "bundle exec rspec", "")]
    assert environment.tools[-1] == Tool("bundle", "", "gems.rb")


def test_what_a_gemfile_may_read_of_the_workflow_s_variables_holds_where_gems_are_chosen_too() -> None:
    steps = "      - run: bundle exec rspec\n        env:\n          RAILS_VERSION: '7.0'\n"
    files = {"Gemfile": "gem 'rails', ENV['RAILS_VERSION']", "spec/a_spec.rb": "", **workflow(steps)}
    environment = planned(files)
    assert environment.variables["RAILS_VERSION"] == "7.0"
    assert not environment.test_variables


def test_a_gemfile_that_only_the_workflow_makes_and_modes_of_an_interpreter_are_not_taken() -> None:
    variables = "    env:\n      BUNDLE_GEMFILE: gemfiles/made.gemfile\n      RUBYOPT: --jit\n"
    files = {"Gemfile": "", "spec/a_spec.rb": "", **workflow("      - run: bundle exec rspec\n", variables)}
    environment = planned(files)
    assert "BUNDLE_GEMFILE" not in environment.variables
    assert not environment.test_variables


def test_gems_that_cannot_be_had_are_the_image_s_or_those_that_tests_can_do_without_are_left_out() -> None:
    gemfile = """
        group :doc, optional: true do
          gem "rdoc"
        end
        group(:development, :test) { gem "rake" }
        gem "rubocop", group: :lint
        gem "debug", groups: [:debug, :test]
        gem "guard", :group => :guard
    """
    (install,) = planned({"Gemfile": gemfile, "spec/a_spec.rb": ""}).setup
    (otherwise,) = install.otherwise
    from_image, from_index = otherwise.argv[-1].split(" || ")
    assert from_image.startswith("{ bundle config set --local path.system true && bundle install --local ")
    assert from_index == (
        "{ bundle config unset --local path.system && bundle config set --local without 'debug doc guard lint'"
        " && bundle install --jobs 2; }"
    )
    (plain,) = planned({"Gemfile": "gem 'rspec'", "spec/a_spec.rb": ""}).setup[0].otherwise
    assert "without" not in plain.argv[-1]


def test_test_cases_that_are_named_as_test_unit_long_had_it() -> None:
    files = {"test/tc_zone.rb": 'require "test_utils"', "test/test_utils.rb": "require 'minitest/autorun'", "a.rb": ""}
    assert commands(planned(files))[0][1] == "ruby -Ilib:test test/tc_zone.rb test/test_utils.rb"


def test_minitest_files_without_a_gemfile() -> None:
    files = {"test/test_a.rb": 'require "minitest/autorun"', "test/sub/b_test.rb": "", "test/helper.rb": "", "a.rb": ""}
    assert commands(planned(files)) == [("minitest", "ruby -Ilib:test test/sub/b_test.rb test/test_a.rb", "")]


def test_a_suite_of_test_unit_has_its_own_way_of_loading() -> None:
    files = {"Gemfile": "gem 'test-unit'", "Rakefile": "", "test/test_a.rb": "require 'test/unit'"}
    assert commands(planned(files)) == [("test_unit", "bundle exec ruby -Ilib:test test/test_a.rb", "")]


@pytest.mark.parametrize("named", [{"spec/spec_helper.rb": "require 'minitest/autorun'"}, {"a.gemspec": "'minitest'"}])
def test_specs_of_minitest_are_no_rspec(named: dict[str, str]) -> None:
    environment = planned({"Gemfile": "gemspec", "spec/a_spec.rb": "describe 'a'", "spec/b_spec.rb": "", **named})
    assert commands(environment) == [
        ("minitest", "bundle exec ruby -Ilib:spec spec/a_spec.rb spec/b_spec.rb", ""),
    ]
    assert "spec/**/*.rb" in environment.evidence


@pytest.mark.parametrize("options", ["--default-path ./\n--require ./spec_helper\n", "--pattern '*/spec/**/*_spec.rb'"])
def test_specs_may_stand_where_rspec_s_own_options_look_for_them(options: str) -> None:
    files = {"Gemfile": "gem 'rspec'", "match/spec/a_spec.rb": "describe 'a'", "b.rb": "", "grab/build.gradle": ""}
    java = {"grab/src/test/java/ATest.java": ""}
    environment = planned({**files, **java, ".rspec": options})
    assert commands(environment) == [("rspec", "bundle exec rspec", "")]
    assert environment.evidence == ("Gemfile", ".rspec")
    assert commands(planned({**files, **java, ".rspec": "--color\n"}))[0][0] == "gradle"
    vendored = {"Gemfile": "", "vendor/a/spec/a_spec.rb": "", ".rspec": options, "Makefile": "test:\n"}
    assert commands(planned(vendored))[0][0] == "exit_code"


def test_specs_that_name_both_are_rspec() -> None:
    files = {"Gemfile": "gem 'rspec'", "spec/a_spec.rb": "", "spec/spec_helper.rb": "require 'rspec'; # no Minitest"}
    assert [command.runner for command in planned(files).tests] == ["rspec"]


def test_minitest_files_may_begin_with_spec() -> None:
    files = {"test/spec_request.rb": "require_relative 'helper'", "test/helper.rb": "require 'minitest/global'"}
    assert commands(planned(files)) == [("minitest", "ruby -Ilib:test test/spec_request.rb", "")]


def test_what_the_tests_load_counts_for_more_than_what_is_installed() -> None:
    files = {"Gemfile": "gem 'minitest'\ngem 'test-unit'", "test/test_a.rb": "require 'test/unit'"}
    assert [command.runner for command in planned(files).tests] == ["test_unit"]


def test_what_ruby_tests_load_and_what_drives_a_browser_is_no_test() -> None:
    files = {"Gemfile": "gem 'minitest'", "test/test_helper.rb": "", "test/system/a_test.rb": "", "test/b_test.rb": ""}
    assert commands(planned(files)) == [("minitest", "bundle exec ruby -Ilib:test test/b_test.rb", "")]


def test_a_test_that_only_starts_the_specs_is_no_suite_of_its_own() -> None:
    runner = 'require "rspec/core"\nRSpec::Core::Runner.run(["spec"])\n'
    environment = planned({"Gemfile": "gem 'rspec-rails'", "spec/a_spec.rb": "", "test/run_specs_test.rb": runner})
    assert [command.runner for command in environment.tests] == ["rspec"]


def test_a_gem_with_specs_and_minitest_files_has_two_suites() -> None:
    files = {
        "Gemfile": "gemspec",
        "a.gemspec": "s.required_ruby_version = '>= 2.7'\ns.add_development_dependency 'minitest'",
        "spec/a_spec.rb": "",
        "test/a_test.rb": "",
    }
    environment = planned(files)
    assert [command.runner for command in environment.tests] == ["rspec", "minitest"]
    assert environment.tools[0] == Tool("ruby", ">=2.7", "a.gemspec")


@pytest.mark.parametrize(
    ("makefile", "command"),
    [
        ("test:\n\t./run\n", "make test"),
        ("CC := gcc\nall: a\ncheck test-all: all\n\t./run\n", "make check"),
        (".PHONY: test\ntest: ; ./run\n", "make test"),
    ],
)
def test_a_makefile_is_the_last_resort(makefile: str, command: str) -> None:
    environment = planned({"Makefile": makefile, "main.c": ""})
    assert commands(environment) == [("exit_code", command, "")]


def test_a_workflow_that_tests_in_a_folder_of_its_own_making_leaves_it_to_the_makefile() -> None:
    steps = (
        "      - run: mkdir build && cmake -S . -B build\n      - run: make test\n        working-directory: build\n"
    )
    files = {"Makefile": "all: a\ntest: a\n\t./a\n", "a.c": "", **workflow(steps)}
    assert commands(planned(files)) == [("exit_code", "make test", "")]
    assert commands(planned({**files, "build/Makefile": ""})) == [("exit_code", "make test", "build")]


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        (
            {"configure.ac": "", "Makefile.am": "check-local:\n"},
            ["autoreconf --force --install", "./configure", "make"],
        ),
        ({"configure": "", "Makefile.in": "check: all\n"}, ["sh configure", "make"]),
        ({"configure": "", "Makefile": "all:\n", "Makefile.in": "check:\n"}, ["sh configure", "make"]),
        ({"configure": "", "Makefile.in": "all: a\ntests: a_test\ncheck: tests\n"}, ["sh configure", "make"]),
    ],
)
def test_a_makefile_may_have_to_be_made_first(files: dict[str, str], lines: list[str]) -> None:
    environment = planned({"a.c": "", **files})
    assert commands(environment) == [("exit_code", "make check", "")]
    assert setup(environment) == lines
    assert ("autoreconf" in lines[0]) == (Tool("autoreconf", "", "Makefile.am") in environment.tools)


def test_a_makefile_that_only_a_workflow_s_own_build_would_make_is_no_plan() -> None:
    steps = workflow("      - run: autoreconf -i && ./configure\n      - run: make check VERBOSE=1\n")
    environment = planned({"configure.ac": "", "Makefile.am": "check-local:\n", "a.c": "", **steps})
    assert commands(environment) == [("exit_code", "make check", "")]
    assert environment.detector.startswith("make/")
    known = planned({"configure": "", "Makefile": "all:\n", "a.c": "", **workflow("      - run: make test\n")})
    assert (commands(known), setup(known)) == ([("exit_code", "make test", "")], ["sh configure"])


def test_some_scripts_beside_a_program_in_c_are_not_its_tests() -> None:
    files = {
        "Makefile": "test:\n\t./run\n",
        "a.c": "",
        "b.c": "",
        "a.h": "",
        "util/gen.py": "",
        "util/run_tests.py": "",
    }
    assert commands(planned(files))[0][1] == "make test"
    assert commands(planned({**files, "requirements.txt": "meson\n"}))[0][1] == "make test"
    with_manifest = {**files, "pyproject.toml": "[project]\nname = 'a'\n", "test_a.py": "def test_a(): pass"}
    assert commands(planned(with_manifest))[0][0] == "pytest"


def test_a_makefile_never_hides_a_suite_that_can_be_read() -> None:
    assert commands(planned({"Makefile": "test:\n\tgo test ./...\n", **GO}))[0][0] == "go_test"
    assert (
        commands(planned({"Makefile": "test:\n\tpytest\n", "lib/setup.py": "", "lib/test_a.py": ""}))[0][0] == "pytest"
    )


def test_a_makefile_without_such_a_target_is_no_suite() -> None:
    with pytest.raises(NoTestsError, match="a Makefile with a target test or check"):
        planned({"Makefile": "test := 1\nbuild:\n\tcc a.c\n", "a.c": ""})


def test_the_language_of_the_files_that_the_issue_names_decides_between_two() -> None:
    files = {**GO, "test_tool.py": "", "tool.py": ""}
    assert commands(planned(files))[0][0] == "pytest"
    assert commands(planned({**files, "b.go": ""}))[0][0] == "go_test"
    assert commands(planned({**files, "b.go": ""}, "tool.py line 3"))[0][0] == "pytest"


def test_files_that_a_gemfile_or_the_gems_own_manifest_reads_decide_the_layer() -> None:
    gemfile = "gem 'rspec'\ngem 'rack', File.read('.rack-version')\n"
    gemspec = "s.version = File.read(\"VERSION\")\ns.files = ['lib/a.rb', 'README.md', 'MIT-LICENSE']\n"
    others = dict.fromkeys(
        (".rack-version", "VERSION", "MIT-LICENSE", "README.md", "lib/a.rb", "lib/a/gem_version.rb"), ""
    )
    found = planned({"Gemfile": gemfile, "a.gemspec": gemspec, "spec/a_spec.rb": "", **others}).manifests
    assert found == (".rack-version", "Gemfile", "VERSION", "a.gemspec", "lib/a/gem_version.rb")


def test_the_gemfile_of_a_later_step_s_tests_is_not_the_suite_s() -> None:
    steps = "      - run: bundle exec rspec\n      - run: bundle exec rspec cluster\n        env:\n          "
    files = {"Gemfile": "gem 'rspec'", "spec/a_spec.rb": "", "cluster/Gemfile": ""}
    environment = planned({**files, **workflow(f"{steps}BUNDLE_GEMFILE: cluster/Gemfile\n          TIMEOUT: 15\n")})
    assert "BUNDLE_GEMFILE" not in environment.variables
    assert environment.variables["TIMEOUT"] == "15"
    first = "      - run: npm test\n      - run: bundle exec rspec cluster\n        env:\n          "
    environment = planned({**files, **workflow(f"{first}BUNDLE_GEMFILE: cluster/Gemfile\n")})
    assert environment.variables["BUNDLE_GEMFILE"].endswith("cluster/Gemfile")


def test_gems_that_another_file_lists_decide_the_layer() -> None:
    gemfile = "gem 'rspec'\neval_gemfile 'gems/common.rb'\neval_gemfile(File.join(__dir__, \"Gemfile.local\"))\n"
    files = {"gems/common.rb": "eval_gemfile 'more'", "gems/more": "", "Gemfile.local": "", "lib/a.rb": ""}
    manifests = planned({"Gemfile": gemfile, "spec/a_spec.rb": "", **files}).manifests
    assert manifests == ("Gemfile", "Gemfile.local", "gems/common.rb", "gems/more")


@pytest.mark.parametrize(
    ("path", "language"),
    [
        *[("composer.json", "PHP"), ("src/App/App.csproj", ".NET"), ("mix.exs", "Elixir"), ("Package.swift", "Swift")],
        *[("build.xml", "Ant"), ("MODULE.bazel", "Bazel"), ("SConstruct", "SCons"), ("rebar.config", "Erlang")],
        *[("App.xcodeproj/project.pbxproj", "Xcode"), ("src/a.vcxproj", r"Visual C\+\+")],
    ],
)
def test_a_language_that_is_not_set_up_is_named(path: str, language: str) -> None:
    with pytest.raises(
        NoTestsError, match=rf"{language}, which is set up and tested only as \.github/agent-fix\.yml says"
    ):
        planned({path: "{}", "README": ""})


def test_what_composer_installs_in_a_workflow_is_installed() -> None:
    steps = "      - run: composer install --no-progress\n      - run: composer test\n"
    environment = planned({"composer.json": "{}", **workflow(steps)})
    assert commands(environment) == [("exit_code", "composer test", "")]
    assert setup(environment) == ["composer install --no-progress"]
    assert "composer.json" in environment.manifests


def test_what_elixir_fetches_in_a_workflow_is_fetched() -> None:
    steps = "      - run: mix deps.get\n      - run: mix deps.unlock --check-unused\n      - run: mix test\n"
    environment = planned({"mix.exs": "", **workflow(steps)})
    assert commands(environment) == [("exit_code", "mix test", "")]
    assert setup(environment) == ["mix deps.get"]


ELIXIR = {"mix.exs": "", "lib/a.ex": "", "lib/b.ex": "", "test/a_test.exs": ""}
FRONT_END = {
    "package.json": '{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "10"}}',
    "assets/socket.js": "",
    "test/socket.test.js": "require('mocha')",
}


def test_a_front_end_s_tests_are_no_tests_of_a_program_in_a_language_that_is_not_set_up() -> None:
    environment = planned({**ELIXIR, **FRONT_END})
    assert commands(environment)[0][0] == "mocha"
    assert environment.left_out == (
        "the tests of most of the program: mix.exs is of Elixir, which is set up and tested only as "
        ".github/agent-fix.yml says, with an image that has what it takes",
    )
    assert planned({**ELIXIR, **FRONT_END}, "assets/socket.js and lib/a.ex").left_out == environment.left_out


def test_an_issue_about_that_program_alone_has_no_tests_and_says_why() -> None:
    files = {**ELIXIR, **FRONT_END}
    with pytest.raises(
        NoTestsError, match=r"found of lib/a\.ex, which the issue is about: mix\.exs is of Elixir"
    ) as told:
        planned(files, "see README.md and lib/a.ex")
    assert told.value.others == planned(files)
    assert planned(files | {"tool.py": ""}, "see tool.py and lib/a.ex") == planned(files)


def test_a_client_may_stand_among_others() -> None:
    files = {f"clients/web/{path}": text for path, text in FRONT_END.items()}
    assert planned({**ELIXIR, **files}).left_out[0].startswith("the tests of most of the program: mix.exs")


def test_the_language_that_most_of_the_program_is_in_is_told() -> None:
    both = {"composer.json": "", **{f"web/{name}.php": "" for name in "abcd"}}
    left_out = planned({**ELIXIR, **FRONT_END, **both}).left_out
    assert left_out[0].startswith("the tests of most of the program: composer.json is of PHP")
    more = {f"lib/more/{name}.ex": "" for name in "abcd"}
    left_out = planned({**ELIXIR, **more, **FRONT_END, **both}).left_out
    assert left_out[0].startswith("the tests of most of the program: mix.exs is of Elixir")


@pytest.mark.parametrize(
    "files",
    [
        {"mix.exs": "", "lib/a.ex": "", **FRONT_END},
        {path: text for path, text in {**ELIXIR, **FRONT_END}.items() if path != "assets/socket.js"},
        {path: text for path, text in {**ELIXIR, **FRONT_END}.items() if path != "mix.exs"},
        {**ELIXIR, **FRONT_END, **{f"native/{name}.c": "" for name in "abcd"}},
        {"App.csproj": "", "a.cs": "", "b.cs": "", "c.cs": "", "setup.py": "", "a.py": "", "test_a.py": ""},
        {**GO, **{f"sdk/dotnet/{name}": "" for name in ("A.csproj", "a.cs", "b.cs", "c.cs")}},
        {**GO, "A.csproj": "", **{f"bindings/{name}.cs": "" for name in "abc"}},
        {**GO, **{f"packages/http-client-csharp/{name}": "" for name in ("A.csproj", "a.cs", "b.cs", "c.cs")}},
        *(
            {**GO, **{f"{folder}/{name}": "" for name in ("A.csproj", "a.cs", "b.cs", "c.cs")}}
            for folder in ("benchmarks", "playground", "tests/cases", "test/__snapshots__", ".tools")
        ),
        {**ELIXIR, "package.json": FRONT_END["package.json"], "Gruntfile.js": "", "__tests__/login.js": "mocha"},
    ],
    ids=[
        *("fewer", "tests alone", "no manifest", "more of a third", "what Python may load"),
        *(
            "generated for each language",
            "bindings",
            "client for one",
            "benchmarks",
            "playground",
            "cases",
            "snapshots",
            "hidden",
            "tasks and tests of the whole",
        ),
    ],
)
def test_beside_less_of_it_or_where_the_tests_may_be_its_own_nothing_is_left_out(files: dict[str, str]) -> None:
    assert planned(files, "see lib/a.ex and a.cs").left_out == ()


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("vendor/bin/phpunit", ["php"]),
        ("./vendor/bin/pest --parallel", ["php"]),
        ("mix test", ["mix"]),
        ("dotnet test", ["dotnet"]),
        ("vendor/bin/phpunit\n          make check", []),
        ("./sbt test", []),
        ("bin/phpunit", ["php"]),
    ],
)
def test_a_language_that_only_a_workflow_tests_has_to_be_in_the_image(command: str, needed: list[str]) -> None:
    own = {"Makefile": "check:\n\t./run\n", "sbt": "#!/bin/sh", "bin/phpunit": "#!/usr/bin/env php"}
    environment = planned({**own, **workflow(f"      - run: |\n          {command}\n")})
    assert environment.detector.startswith("workflow/")
    assert [tool.program for tool in environment.tools] == needed
