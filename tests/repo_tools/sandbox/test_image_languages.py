"""The base image with the languages that the operator may want; making it takes minutes."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_tools.sandbox.contract import BoxSpec, SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.image import REPOSITORY, build_image, dockerfile
from repo_tools.sandbox.languages import LANGUAGE_OF, LANGUAGES
from tests.support.engine import engine_client, require_docker
from tests.support.laboratory import laboratory

NAME = f"{REPOSITORY}-languages:test"
SHORT = "test_languages_are_packages_of_the_dockerfile_and_backports_are_there_for_those_that_need_them"
GO = {
    "go.mod": "module example.org/till\n\ngo 1.21\n",
    "till.go": "package till\n\nfunc Double(number int) int { return min(number*2, 1000) }\n",
    "till_test.go": 'package till\n\nimport "testing"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n'
    '\t\tt.Fatal("no")\n\t}\n}\n',
}
RUBY = {
    "Rakefile": 'require "rake/testtask"\nRake::TestTask.new\ntask default: :test\n',
    "lib/till.rb": "def double(number) = number * 2\n",
    "test/test_till.rb": 'require "minitest/autorun"\nrequire_relative "../lib/till"\n'
    "class TestTill < Minitest::Test\n  def test_double = assert_equal(4, double(2))\nend\n",
}
RUST = {
    "Cargo.toml": '[package]\nname = "till"\nversion = "0.1.0"\nedition = "2024"\n',
    "src/lib.rs": "pub fn double(number: u32) -> u32 {\n    number * 2\n}\n\n#[test]\nfn doubles() {\n"
    "    assert_eq!(double(2), 4);\n}\n",
}


def test_languages_are_packages_of_the_dockerfile_and_backports_are_there_for_those_that_need_them() -> None:
    assert "cargo" not in dockerfile()
    assert "backports" not in dockerfile(["java", "ruby", "rust"])
    text = dockerfile(["go", "rust"])
    assert (
        text.index("bookworm-backports /' /etc/apt/sources") < text.index("apt-get update") < text.index("golang-go/")
    )
    assert " cargo-web rustc-web " in text
    assert set(LANGUAGE_OF.values()) == set(LANGUAGES)


@pytest.fixture(scope="module")
def engine() -> Iterator[SandboxEngine]:
    host = require_docker()
    with closing(engine_client(host)) as client:
        build_image(client, LANGUAGES, name=NAME)
        try:
            with closing(DockerEngine(NAME, docker_host=host, runtime="runc")) as engine:
                yield engine
        finally:
            client.images.remove(NAME)


@pytest.mark.docker
@pytest.mark.timeout(1_800)
@pytest.mark.long(short=SHORT)
@pytest.mark.parametrize("files", [GO, RUBY, RUST], ids=["go", "ruby", "rust"])
def test_a_suite_of_a_language_on_request_runs_on_docker(
    engine: SandboxEngine, tmp_path: Path, files: dict[str, str]
) -> None:
    report = laboratory(engine, tmp_path, files).baseline
    assert [case.outcome.value for case in report.cases] == ["passed"], report


@pytest.mark.docker
@pytest.mark.timeout(1_800)
@pytest.mark.long(short=SHORT)
def test_every_program_of_a_language_on_request_is_in_the_image(engine: SandboxEngine) -> None:
    with engine.start(BoxSpec()) as box:
        for program in LANGUAGE_OF:
            done = box.exec([program, "version" if program == "go" else "--version"], timeout_seconds=60)
            assert done.exit_code == 0, done.output
