"""Which folders of a repository are projects, and which of them is meant."""

from collections.abc import Mapping, Sequence

import pytest

from repo_tools.environment.contract import Environment, NoTestsError
from repo_tools.environment.detect import detect
from repo_tools.environment.project_search import Found, ProjectSearch
from repo_tools.environment.projects import project_folders
from tests.support.trees import reader_of, tree_of


def folders_of(files: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(project_folders(tree_of(files), reader_of(files)))


def planned(
    files: Mapping[str, str], issue: str = "", likely: Sequence[str] | None = None, inside: str = ""
) -> Environment:
    ranked = None if likely is None else lambda: likely
    return detect(tree_of(files), reader_of(files), issue=issue, inside=inside, likely=ranked)


TWO_PROJECTS = {
    "services/api/pyproject.toml": "[project]\nname = 'api'\n",
    "services/api/api/core.py": "",
    "services/api/tests/test_core.py": "",
    "services/jobs/setup.py": "from setuptools import setup\nsetup(name='jobs')\n",
    "services/jobs/jobs.py": "",
    "services/jobs/test_jobs.py": "",
    "README.md": "",
}


def test_a_project_beside_whose_folder_nothing_stands_is_read_by_paths_from_there() -> None:
    environment = planned({"app/requirements.txt": "six\n", "app/test_a.py": ""})
    assert environment.manifests == ("app/requirements.txt",)


def test_the_project_nearest_to_the_files_of_the_issue_is_set_up_where_it_stands() -> None:
    environment = planned(TWO_PROJECTS, 'It fails:\n  File "/home/me/work/services/jobs/jobs.py", line 3, in run')
    assert {command.directory for command in environment.setup} == {"services/jobs"}
    assert {command.directory for command in environment.tests} == {"services/jobs"}
    assert environment.manifests == ("services/jobs/setup.py",)
    assert environment.evidence[0] == "the project in services/jobs/"


def test_an_issue_that_names_no_file_means_the_root_and_else_the_first_project_with_tests() -> None:
    assert planned(TWO_PROJECTS).tests[0].directory == "services/api"
    assert planned({**TWO_PROJECTS, "test_all.py": ""}).tests[0].directory == ""


def test_a_last_resort_is_asked_where_the_issue_names_a_file_too() -> None:
    files = {"Makefile": "test:\n\tsh test.sh\n", "test.sh": "", "src/run.sh": ""}
    assert planned(files, "src/run.sh is wrong") == planned(files)


def test_an_issue_that_names_a_file_of_a_repository_without_tests_is_told_so() -> None:
    with pytest.raises(NoTestsError, match="No tests were found in 2 files"):
        planned({"package.json": "{}", "src/index.js": ""}, "src/index.js is wrong")
    with pytest.raises(NoTestsError, match=r"No tests were found in 1 file\."):
        planned({"README": ""}, "it is wrong")


@pytest.mark.parametrize(
    ("inside", "directory"),
    [
        ("services/jobs", "services/jobs"),
        ("services/jobs/deep/er", "services/jobs"),
        ("services", "services/api"),
    ],
)
def test_a_folder_that_is_asked_about_means_the_project_that_holds_it_or_the_first_below(
    inside: str, directory: str
) -> None:
    files = {"apps/web/package.json": "{}", **TWO_PROJECTS}
    found = planned(files, inside=inside)
    assert {command.directory for command in found.tests} == {directory}
    assert f"{inside}/ was asked about" in found.evidence


@pytest.mark.parametrize("inside", ["docs", "service"])
def test_a_folder_that_no_project_holds_says_nothing(inside: str) -> None:
    found = planned(TWO_PROJECTS, inside=inside, likely=["services/jobs/jobs.py"])
    assert found.tests[0].directory == "services/jobs"
    assert f"{inside}/ was asked about" not in found.evidence


def test_a_folder_of_the_roots_own_project_means_that_one() -> None:
    files = {**TWO_PROJECTS, "package.json": '{"scripts": {"test": "node --test"}}', "test/a.test.js": ""}
    likely = ["services/jobs/jobs.py"]
    assert planned(files, inside="docs", likely=likely).tests[0].directory == ""
    assert planned(files, likely=likely).tests[0].directory == "services/jobs"


def test_of_a_workspace_the_suite_in_the_folder_that_is_asked_about_is_run() -> None:
    member = '{"scripts": {"test": "node --test"}}'
    files = {"package.json": '{"workspaces": ["packages/*"]}'} | {f"packages/{n}/package.json": member for n in "ab"}
    files |= {f"packages/{name}/test/{name}.test.js": "" for name in "ab"}
    assert {command.directory for command in planned(files, inside="packages/b").tests} == {"packages/b"}


SHOWN = {"doc/example/test_example.py": "", "doc/guide/thing/setup.py": "", "doc/guide/thing/test/test_thing.py": ""}


def test_what_a_root_without_manifest_shows_to_readers_is_no_suite_beside_those_of_its_projects() -> None:
    assert planned({**TWO_PROJECTS, **SHOWN}).tests[0].directory == "services/api"
    assert planned({**TWO_PROJECTS, **SHOWN, "test_all.py": ""}).tests[0].directory == ""
    assert planned({**TWO_PROJECTS, **SHOWN, "tox.ini": "[testenv]\n"}).tests[0].directory == ""
    assert planned(SHOWN).tests[0].directory == ""
    assert planned({**SHOWN, "api/setup.py": "", "api/core.py": ""}).tests[0].directory == ""
    by_make = {**SHOWN, "api/setup.py": "", "api/core.py": "", "Makefile": "test:\n\tpytest doc\n"}
    assert planned(by_make).tests[0].runner == "pytest"
    about = {**TWO_PROJECTS, **SHOWN, "doc/index.rst": "", "doc/example/shop.py": ""}
    assert planned(about, "doc/example/shop.py fails").tests[0].directory == ""
    assert planned(about, "doc/index.rst says so").tests[0].directory == "services/api"


OF_THE_CI = {
    ".github/scripts/test_plan.py": "def test_a(): pass",
    ".github/actions/label/package.json": '{"scripts": {"test": "node --test"}}',
    ".github/actions/label/label.test.js": "",
}


def test_what_stands_in_hidden_folders_is_no_suite_beside_the_product_s() -> None:
    environment = planned({**OF_THE_CI, "core/Cargo.toml": "", "core/tests/all.rs": ""})
    assert environment.evidence[0] == "the project in core/"
    assert planned({**OF_THE_CI, "Makefile": "test:\n\t./all\n"}).detector.startswith("make/")
    with pytest.raises(NoTestsError):
        planned(OF_THE_CI)


def test_tests_in_a_hidden_folder_that_pytest_s_configuration_names_are_the_suite() -> None:
    named = {"pytest.ini": "[pytest]\ntestpaths = .github/scripts\n"}
    assert planned({**OF_THE_CI, **named}).tests[0].runner == "pytest"


def test_an_issue_that_names_no_file_means_the_project_of_the_files_that_it_is_likely_about() -> None:
    likely = ("services/jobs/jobs.py", "services/api/api/core.py", "services/api/tests/test_core.py")
    environment = planned(TWO_PROJECTS, "Jobs are lost", likely)
    assert environment.tests[0].directory == "services/jobs"
    why = "the issue names no file, and is most likely about services/jobs/jobs.py"
    assert environment.evidence[:2] == ("the project in services/jobs/", why)
    assert planned(TWO_PROJECTS, "Jobs are lost", ()).tests[0].directory == "services/api"
    assert why not in planned(TWO_PROJECTS, "Cores are lost", likely[1:]).evidence


def test_a_document_that_an_issue_names_does_not_choose_the_project() -> None:
    files, likely = {**TWO_PROJECTS, "services/api/CHANGES.md": ""}, ("services/jobs/jobs.py",)
    assert planned(files, "Jobs are lost. I looked into CHANGES.md.", likely).tests[0].directory == "services/jobs"


def test_the_reason_names_a_file_of_the_project_that_is_chosen() -> None:
    likely = ("README.md", *(f"services/jobs/{name}.py" for name in ("jobs", "test_jobs", "setup")))
    environment = planned(TWO_PROJECTS, "Jobs are lost", likely)
    assert environment.evidence[1] == "the issue names no file, and is most likely about services/jobs/jobs.py"


def test_no_more_than_five_of_the_likely_files_choose_the_project() -> None:
    of_jobs = (f"services/jobs/{number}.py" for number in range(20))
    likely = ("services/api/api/core.py", "README.md", "a.md", "b.md", "c.md", *of_jobs)
    assert planned(TWO_PROJECTS, "Jobs are lost", likely).tests[0].directory == "services/api"


def test_what_an_issue_is_likely_about_does_not_outweigh_what_it_names_or_a_suite_of_the_root() -> None:
    likely = ("services/jobs/jobs.py",)
    assert planned(TWO_PROJECTS, "api/core.py is wrong", likely).tests[0].directory == "services/api"
    own = {**TWO_PROJECTS, "pyproject.toml": "[project]\nname = 'all'\n", "test_all.py": ""}
    assert planned(own, "Jobs are lost", likely).tests[0].directory == ""
    made = {**TWO_PROJECTS, "CMakeLists.txt": "project(all)\nenable_testing()\nadd_test(a a)\n", "a.c": ""}
    assert planned(made, "Jobs are lost", likely).detector.startswith("cmake")


def test_projects_that_no_manifest_brings_together_are_set_up_together_up_to_twenty() -> None:
    found, likely = {**TWO_PROJECTS, "test_all.py": ""}, ("services/jobs/jobs.py",)
    assert planned(found, "Jobs are lost", likely).tests[0].directory == ""
    many = {**found, **{f"services/{number}/setup.py": "" for number in range(20)}}
    assert planned(many).tests[0].directory == ""
    assert planned(many, "Jobs are lost", likely).tests[0].directory == "services/jobs"


def test_where_the_root_has_suites_of_its_parts_alone_the_language_of_the_likely_files_counts() -> None:
    files = {
        "setup.py": "from setuptools import setup\nsetup(name='dash')\n",
        "dash/core.py": "",
        "tests/test_core.py": "",
        "package.json": '{"name": "x", "private": true, "workspaces": ["parts/*"]}',
        "parts/table/package.json": '{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "9"}}',
        **{f"parts/table/src/{name}.js": "" for name in "abcdef"},
        "parts/table/test/a.js": "it('works', () => {})",
    }
    assert planned(files, "Cores are lost").detector.startswith("javascript")
    assert planned(files, "Cores are lost", ("dash/core.py",)).detector.startswith("python")


def test_beside_a_suite_of_the_root_an_issue_in_another_language_means_the_suite_of_that_one() -> None:
    files = {
        "pyproject.toml": "[project]\nname = 'shop'\n",
        "shop/orders.py": "",
        "tests/test_orders.py": "",
        "package.json": '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "29"}}',
        **{f"client/{name}.ts": "" for name in "abcdef"},
        "client/Basket.vue": "",
        "client/basket.test.ts": "it('works', () => {})",
    }
    likely = ("README.md", "shop/orders.py", "client/a.ts")
    environment = planned(files, "Orders are lost", likely)
    assert environment.detector.startswith("python")
    assert "the issue names no file, and is most likely about shop/orders.py" in environment.evidence
    assert planned(files, "Orders are lost", likely[2:]).detector.startswith("javascript")
    assert planned(files, "Orders are lost", ("README.md",)).detector.startswith("javascript")
    assert planned(files, "client/a.ts loses orders", likely).detector.startswith("javascript")
    more_of_python = {**files, **{f"shop/{name}.py": "" for name in "abcdefgh"}}
    assert planned(more_of_python, "The basket is empty", ("client/Basket.vue",)).detector.startswith("javascript")
    mostly_of_the_client = ("shop/a.py", *(f"client/{name}.ts" for name in "abcd"))
    assert planned(more_of_python, "It is wrong", mostly_of_the_client).detector.startswith("python")


@pytest.mark.parametrize("folder", ["", "rust/"])
@pytest.mark.parametrize(("kind", "detector"), [("[lib]\ncrate-type = ['cdylib']\n", "python"), ("", "rust")])
def test_a_crate_that_the_roots_language_loads_is_tested_by_the_roots_suite(
    folder: str, kind: str, detector: str
) -> None:
    crate = {f"{folder}Cargo.toml": f"[package]\nname = 'x'\n{kind}", f"{folder}src/lib.rs": "#[test]\nfn a() {}\n"}
    root = {"pyproject.toml": "[project]\nname = 'shop'\n", "shop/a.py": "", "tests/test_a.py": ""}
    found = planned({**root, **crate}, "It is wrong", (f"{folder}src/lib.rs", "shop/a.py"))
    assert found.detector.partition("/")[0] == detector


OF_GO = {
    "go.mod": "module acme.org/all\n",
    "a.go": "",
    "a_test.go": "",
    "bridge/go.mod": "module acme.org/all/bridge\n",
}
OF_RUBY = {"Gemfile": "", "lib/a.rb": "", "spec/a_spec.rb": "", "bridge/Gemfile": "gem 'rspec'\n"}


@pytest.mark.parametrize(
    ("root", "source", "test"), [(OF_GO, "b.go", "b_test.go"), (OF_RUBY, "b.rb", "spec/b_spec.rb")]
)
def test_a_project_that_the_suite_of_the_root_has_nothing_of_is_tested_beside_it_where_an_issue_is_likely_about_it(
    root: dict[str, str], source: str, test: str
) -> None:
    files = {**root, f"bridge/{source}": "", f"bridge/{test}": ""}
    own = next(path for path in ("a.go", "lib/a.rb") if path in files)
    both = planned(files, "It fails", (f"bridge/{source}", own))
    assert [command.directory for command in both.tests] == ["", "bridge"]
    assert {(command.directory, command.required) for command in both.setup} >= {("", True), ("bridge", False)}
    assert f"the issue names no file, and is most likely about bridge/{source}" in both.evidence
    assert [command.directory for command in planned(files, "It fails", (own, f"bridge/{source}")).tests] == [""]
    assert [command.directory for command in planned(files, f"bridge/{source} fails").tests] == ["bridge"]
    untested = {path: text for path, text in files.items() if path != f"bridge/{test}"}
    assert [command.directory for command in planned(untested, "It fails", (f"bridge/{source}",)).tests] == [""]


def test_a_project_that_is_in_none_of_the_places_that_the_root_names_for_pytest_is_meant_beside_its_suite() -> None:
    files = {
        "pyproject.toml": "[project]\nname = 'all'\n[tool.pytest.ini_options]\ntestpaths = ['tests', 'near/tests']\n",
        "all.py": "",
        "tests/test_all.py": "",
        **{f"{place}/setup.py": "" for place in ("near", "far")},
        **{f"{place}/{place}.py": "" for place in ("near", "far")},
        **{f"{place}/tests/test_{place}.py": "" for place in ("near", "far")},
    }
    assert planned(files, "It fails", ("far/far.py", "all.py")).tests[0].directory == "far"
    assert planned(files, "It fails", ("near/near.py", "all.py")).tests[0].directory == ""
    assert planned(files, "It fails", ("all.py", "far/far.py", "far/setup.py")).tests[0].directory == ""
    tested_from_outside = {path: text for path, text in files.items() if path != "far/tests/test_far.py"}
    tested_from_outside["far/testing.py"] = "def tested(): pass"
    assert planned(tested_from_outside, "It fails", ("far/far.py", "all.py")).tests[0].directory == ""
    for places in ("'.'", "'*/tests'"):
        others = {"pyproject.toml": f"[project]\nname = 'all'\n[tool.pytest.ini_options]\ntestpaths = [{places}]\n"}
        assert planned({**files, **others}, "It fails", ("far/far.py", "all.py")).tests[0].directory == ""


def test_where_nothing_is_likely_the_projects_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    weights: list[object] = []
    look = ProjectSearch.first_with_tests

    def counted(search: ProjectSearch, asked: Mapping[str, float]) -> Found:
        weights.append(asked)
        return look(search, asked)

    monkeypatch.setattr(ProjectSearch, "first_with_tests", counted)
    files = {**OF_RUBY, "bridge/Gemfile": "", "bridge/b.rb": "", "bridge/spec/b_spec.rb": ""}
    assert planned(files, "It fails", ()).tests[0].directory == ""
    assert weights == [{}]


def test_a_gemfile_of_the_ci_is_for_no_two_projects() -> None:
    steps = "jobs: {a: {env: {BUNDLE_GEMFILE: Gemfile, A: '1'}, steps: [{run: bundle exec rspec}]}}"
    files = {
        **OF_RUBY,
        "bridge/b.rb": "",
        "bridge/spec/b_spec.rb": "",
        ".github/workflows/a.yml": f"on: push\n{steps}\n",
    }
    assert planned(files).variables["BUNDLE_GEMFILE"] == "Gemfile"
    both = planned(files, "It fails", ("bridge/b.rb",))
    assert both.variables["A"] == "1"
    assert "BUNDLE_GEMFILE" not in both.variables


def test_a_part_in_another_language_is_meant_beside_a_suite_of_the_root_but_none_in_the_same() -> None:
    page = {"web/package.json": '{"scripts": {"test": "node --test"}}', "web/page.js": "", "web/page.test.js": ""}
    root = {"pyproject.toml": "[project]\nname = 'shop'\n", "shop/orders.py": "", "tests/test_orders.py": ""}
    plugin = {"plugin/setup.py": "", "plugin/plugin.py": "", "plugin/test_plugin.py": ""}
    files = {**page, **root, **plugin}
    assert planned(files, "Pages are empty", ("web/page.js",)).tests[0].directory == "web"
    assert planned(files, "Plugins are lost", ("plugin/plugin.py",)).tests[0].directory == ""
    untested = {name: text for name, text in files.items() if name != "web/page.test.js"}
    untested["web/package.json"] = "{}"
    assert planned(untested, "Pages are empty", ("web/page.js",)).detector.startswith("python")


TOOLS = {"pyproject.toml": "[tool.ruff]\nline-length = 120\n"}
WORKSPACE = {
    "pyproject.toml": "[tool.uv.workspace]\nmembers = ['backend', 'lib']\n[dependency-groups]\ndev = ['ruff']\n"
}
OF_PYTEST = "[project]\nname = 'x'\n[dependency-groups]\ndev = ['pytest-asyncio']\n[tool.pytest.ini_options]\n"
BACKEND = {"backend/pyproject.toml": OF_PYTEST, "backend/app.py": "", "backend/tests/test_app.py": ""}
LIB = {"lib/pyproject.toml": OF_PYTEST, "lib/lib.py": "", "lib/tests/test_lib.py": ""}


@pytest.mark.parametrize("root", [TOOLS, WORKSPACE, {"requirements.txt": "pre-commit\n"}])
def test_a_root_that_only_brings_tools_is_no_project_beside_the_one_that_has_the_tests(root: dict[str, str]) -> None:
    environment = planned({**root, **BACKEND, "lib/setup.py": "", "lib/lib.py": "", "scripts/make.py": ""})
    assert [(test.directory, test.argv) for test in environment.tests] == [("backend", ("pytest",))]
    assert {command.directory for command in environment.setup} == {"backend"}


def test_a_project_that_configures_nothing_is_it_where_the_root_has_nothing_for_it_or_the_ci_tests_there() -> None:
    files = {**BACKEND, "backend/pyproject.toml": "[project]\nname = 'x'\n"}
    assert planned({**TOOLS, **files}, "scripts/make.py is wrong").tests[0].directory == "backend"
    assert planned({**WORKSPACE, **files}).tests[0].directory == ""
    tested = "jobs: {a: {steps: [{uses: actions/setup-python@v6}, {run: bash test.sh, working-directory: backend}]}}"
    ci = {".github/workflows/test.yml": f"on: push\n{tested}\n", "backend/test.sh": "coverage run -m pytest tests\n"}
    assert planned({**WORKSPACE, **files, **ci}).tests[0].directory == "backend"


def test_of_several_projects_below_a_root_of_tools_one_that_configures_pytest_is_tested_by_itself() -> None:
    files = {**WORKSPACE, **BACKEND, **LIB}
    assert planned(files).tests[0].directory == "backend"
    assert planned(files, "lib.py is wrong").tests[0].directory == "lib"
    assert planned(files, "It is wrong", ("lib/lib.py",)).tests[0].directory == "lib"
    plain = {path: "[project]\nname = 'x'\n" if path.endswith("/pyproject.toml") else files[path] for path in files}
    assert planned({**plain, **WORKSPACE}).tests[0].directory == ""


@pytest.mark.parametrize(
    "root",
    [
        {"pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['backend', 'lib']\n"},
        {**WORKSPACE, "tox.ini": "[testenv]\ncommands = pytest backend lib\n"},
        {**WORKSPACE, "tox.toml": "[env_run_base]\ndeps = ['mock']\n"},
        {"pyproject.toml": "[tool.tox.env_run_base]\ncommands = [['pytest', 'backend']]\n"},
        {"pyproject.toml": "[tool.hatch.envs.default.scripts]\ntest = 'pytest backend lib'\n"},
        {**WORKSPACE, "conftest.py": ""},
        {**WORKSPACE, "tests/test_all.py": ""},
        {"pyproject.toml": "[dependency-groups]\ndev = ['pytest', 'pytest-asyncio']\n"},
        {"pyproject.toml": "[project]\nname = 'all'\n", "src/all/__init__.py": ""},
    ],
)
def test_a_root_that_says_how_tests_are_run_is_the_project(root: dict[str, str]) -> None:
    assert planned({**root, **BACKEND, **LIB}).tests[0].directory in ("", ".")
    assert planned({**root, **BACKEND}, "It is wrong", ("backend/app.py",)).tests[0].directory in ("", ".")


def test_several_projects_that_the_ci_tests_from_the_root_are_the_root_s() -> None:
    ci = "jobs: {a: {steps: [{uses: actions/setup-python@v6}, {run: pytest backend lib}]}}"
    files = {**WORKSPACE, **BACKEND, ".github/workflows/test.yml": f"on: push\n{ci}\n"}
    assert planned({**files, **LIB}).tests[0].directory == ""
    assert planned(files).tests[0].directory == "backend"


@pytest.mark.parametrize(
    ("root", "own", "folder"),
    [
        ({"requirements.txt": "Flask\nmock\n"}, "[]", ""),
        ({"pyproject.toml": "[tool.poetry.dependencies]\nflask = '*'\n"}, "[]", ""),
        ({"requirements.txt": "Flask\nmock\n"}, "['flask']", "backend"),
        ({"requirements.txt": "mock\n"}, "[]", "backend"),
    ],
)
def test_a_root_that_alone_lists_what_is_imported_below_it_is_the_project(
    root: dict[str, str], own: str, folder: str
) -> None:
    settings = f"[project]\nname = 'x'\ndependencies = {own}\n[tool.pytest.ini_options]\n"
    sources = {"backend/app.py": "import flask\n", "backend/pyproject.toml": settings}
    assert planned({**BACKEND, **sources, **root}).tests[0].directory == folder


@pytest.mark.parametrize("settings", [{"src/pytest.ini": "[pytest]\n"}, {"src/setup.cfg": "[tool:pytest]\n"}])
def test_a_root_that_lists_what_the_folder_with_the_tests_needs_is_the_project(settings: dict[str, str]) -> None:
    root = {"requirements.txt": "django\n", "src/manage.py": "", "src/shop/tests/test_shop.py": ""}
    environment = planned({**root, **settings})
    assert any("requirements.txt" in command.argv for command in environment.setup)


def test_a_suite_in_another_language_stays_the_roots_where_its_python_only_brings_tools() -> None:
    page = {"package.json": '{"scripts": {"test": "node --test"}}', "page.js": "", "page.test.js": ""}
    assert planned({**TOOLS, **BACKEND, **page}).detector.startswith("javascript")
    assert planned({**TOOLS, **BACKEND, **page}, "It", ("backend/app.py",)).tests[0].directory == "backend"


def test_a_project_without_tests_leaves_the_choice_to_the_others() -> None:
    files = {"lib/setup.py": "", "lib/lib.py": "", "tests/test_lib.py": ""}
    assert planned(files, "lib/lib.py is wrong").tests[0].directory == ""


def test_members_of_a_workspace_are_set_up_from_its_root() -> None:
    files = {"package.json": '{"workspaces": ["packages/*"]}', "packages/a/package.json": "{}", "tool/setup.py": ""}
    assert folders_of(files) == ("", "tool")
    assert folders_of({**files, "package.json": "{}"}) == ("", "tool", "packages/a")


def test_a_package_among_tests_that_tests_nothing_only_brings_what_they_start() -> None:
    files = {"setup.py": "", "shop/core.py": "", "tests/package.json": '{"dependencies": {"yuglify": "1"}}'}
    assert folders_of(files) == ("",)
    (command,) = planned({**files, "tests/shop/test_core.py": "", "tests/a.js": ""}, "see tests/a.js").tests
    assert (command.directory, command.argv) == ("", ("pytest",))
    assert folders_of({**files, "tests/package.json": '{"scripts": {"test": "mocha"}}'}) == ("", "tests")


@pytest.mark.parametrize("root", [{"shop/__init__.py": ""}, {"shop.py": ""}])
def test_a_list_that_only_says_what_tests_need_makes_no_project_of_them(root: dict[str, str]) -> None:
    tests = {"tests/requirements.txt": "mock\n", "tests/test_core.py": "import shop\n"}
    environment = planned({**root, **tests})
    assert environment.tests[0].directory == ""
    assert "tests/requirements.txt" in environment.manifests
    assert folders_of({**root, **tests, "tests/setup.py": ""}) == ("", "tests")
    assert folders_of({**tests, "core.c": ""}) == ("", "tests")


OF_TESTS = {"tests/requirements.txt": "mock\n", "tests/test_core.py": "import subprocess\n"}


@pytest.mark.parametrize(
    ("others", "folders"),
    [
        ({"go.mod": "module shop\n", "release.py": ""}, ("", "tests")),
        ({"package.json": "{}", "shop.py": "", "tests/test_shop.py": "from shop import pay\n"}, ("",)),
        ({"release.py": ""}, ("", "tests")),
        ({"setup.py": ""}, ("",)),
        ({"setup.py": "", "pkg/core.py": "", "pkg/tests/requirements.txt": ""}, ("",)),
        ({"setup.py": "", "tests/pytest.ini": ""}, ("", "tests")),
        (
            {"web/package.json": "{}", "api/core.py": "", "api/tests/requirements.txt": ""},
            ("", "tests", "web", "api/tests"),
        ),
    ],
)
def test_beside_the_program_of_another_language_it_does(others: dict[str, str], folders: tuple[str, ...]) -> None:
    assert folders_of({**OF_TESTS, **others}) == folders


@pytest.mark.parametrize("folder", ["node_modules/a", "tests/fixtures/a", "vendor/a", "examples/a"])
def test_projects_that_are_somebody_elses_or_only_to_be_read_are_none(folder: str) -> None:
    assert folders_of({f"{folder}/package.json": "{}"}) == ("",)


@pytest.mark.parametrize("folder", ["{{cookiecutter.slug}}", "{% if tested %}app{% endif %}"])
def test_a_project_that_a_template_is_of_is_none_before_its_names_are_filled_in(folder: str) -> None:
    template = {f"{folder}/setup.py": "", f"{folder}/tests/test_app.py": f"from {folder} import app"}
    assert folders_of(template) == ("",)
    with pytest.raises(NoTestsError):
        planned(template)


def test_a_repository_of_many_projects_without_tests_is_told_what_was_looked_for() -> None:
    with pytest.raises(NoTestsError, match="Looked for: Python"):
        planned({f"p{n}/setup.py": "" for n in range(100)})


def test_an_import_package_that_lists_what_it_hands_to_browsers_is_of_the_project_around_it() -> None:
    package = {"till/shop/__init__.py": "", "till/shop/test_a.py": "", "till/shop/package.json": '{"dependencies": {}}'}
    for manifest in ("setup.py", "till/requirements.txt"):
        assert "till/shop" not in folders_of({manifest: "", **package})


@pytest.mark.parametrize(
    "other",
    [
        {"setup.py": "", "shop/package.json": '{"scripts": {"test": "mocha"}}', "shop/__init__.py": ""},
        {"setup.py": "", "shop/package.json": "{}"},
        {"setup.py": "", "shop/package.json": "{}", "shop/__init__.py": "", "shop/go.mod": ""},
        {"go.mod": "", "shop/package.json": "{}", "shop/__init__.py": ""},
    ],
)
def test_a_folder_that_tests_its_scripts_or_is_no_import_package_of_a_project_is_its_own(other: dict[str, str]) -> None:
    assert "shop" in folders_of(other)


CI_OF_PARTS = """\
on: push
jobs:
  api:
    runs-on: ubuntu-latest
    defaults: {run: {working-directory: api}}
    steps:
      - uses: actions/setup-python@v6
      - run: uv sync --extra fast
      - run: uv run pytest --ignore=tests/slow
  web:
    runs-on: ubuntu-latest
    steps:
      - run: npm ci && npm run test:ci
        working-directory: web/
"""
PARTS = {
    ".github/workflows/test.yml": CI_OF_PARTS,
    "api/pyproject.toml": "[project]\nname = 'api'\n[project.optional-dependencies]\nfast = ['orjson']\n",
    "api/tests/test_api.py": "",
    "web/package.json": '{"scripts": {"test": "jest --watch", "test:ci": "mocha"}, "devDependencies": {"mocha": "9"}}',
    "web/test/a.js": "it('works', () => {})",
    "jobs/pyproject.toml": "[project]\nname = 'jobs'\n[project.optional-dependencies]\nfast = ['ujson']\n",
    "jobs/tests/test_jobs.py": "",
}


def test_what_the_ci_does_in_a_project_s_folder_is_that_project_s_ci() -> None:
    api = planned(PARTS, "api/tests/test_api.py fails")
    assert any("orjson" in command.argv for command in api.setup)
    web = planned(PARTS, "web/test/a.js fails")
    assert (web.tests[0].directory, web.tests[0].runner) == ("web", "mocha")
    jobs = planned(PARTS, "jobs/tests/test_jobs.py fails")
    assert not any("ujson" in command.argv for command in jobs.setup)


def test_what_an_issue_is_likely_about_stops_no_tests_unless_most_of_it_is_in_a_language_that_is_not_set_up() -> None:
    program = {"mix.exs": "", **{f"lib/{name}.ex": "" for name in "abc"}}
    script = '{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "10"}}'
    files = {**program, "package.json": script, "js/a.js": "", "test/a.test.js": "require('mocha')", "a.heex": ""}
    for likely in (["lib/a.ex", "a.heex", "lib/b.ex"], ["lib/a.ex", "lib/b.ex", "lib/c.ex", "js/a.js"], []):
        assert planned(files, likely=likely).left_out
    with pytest.raises(
        NoTestsError, match=r"^No tests were found of lib/b\.ex, which the issue is most likely about: "
    ):
        planned(files, likely=["a.heex", "lib/b.ex", "lib/a.ex", "lib/c.ex"])
