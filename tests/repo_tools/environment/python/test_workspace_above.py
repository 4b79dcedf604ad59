"""A member of a uv workspace that is set up by itself has the lock, the Python and the tools that its root says."""

from repo_tools.environment.contract import Environment
from repo_tools.environment.detect import detect
from repo_tools.environment.python.install import LOCKED
from tests.support.files_checkout import FilesCheckout

ROOT = """[dependency-groups]
dev = ["pytest-mock==3.10.0", "shop-core", "odd", "ruff"]
docs = ["sphinx"]
[tool.uv.workspace]
members = ["packages/*"]
exclude = ["packages/old"]
[tool.uv.sources]
odd = { git = "https://example.org/odd" }
"""
PYTEST = "[tool.pytest.ini_options]\ntestpaths = ['.']\n"
FILES = {
    "pyproject.toml": ROOT,
    "uv.lock": "version = 1\n",
    ".python-version": "3.10\n",
    "packages/core/pyproject.toml": f"[project]\nname = 'shop-core'\n{PYTEST}",
    **{f"packages/{name}/shop.py": "" for name in ("core", "web", "old")},
    "packages/core/tests/test_core.py": "def test_core(mocker): pass\n",
    "packages/web/pyproject.toml": f"[project]\nname = 'web'\n{PYTEST}[dependency-groups]\ntest = ['pytest-cov']\n",
    "packages/web/tests/test_web.py": "def test_web(): pass\n",
    "packages/old/pyproject.toml": f"[project]\nname = 'old'\n{PYTEST}",
    "packages/old/test_old.py": "",
}


def planned(member: str, **files: str) -> Environment:
    checkout = FilesCheckout({**FILES, **files})
    return detect(checkout.tree, checkout.read, issue=f"{member}/shop.py is wrong")


def words(plan: Environment) -> set[str]:
    return {word for command in plan.setup for word in command.argv}


def test_a_member_is_installed_with_the_lock_of_all_by_the_python_of_all() -> None:
    plan = planned("packages/core")
    assert "../../uv.lock: limits what is installed" in plan.evidence
    assert {"../../uv.lock", LOCKED} <= words(plan)
    assert (plan.tools[0].source, plan.tools[0].preferred) == ("../../.python-version", "==3.10.*")
    assert {"pyproject.toml", "uv.lock", ".python-version", "packages/core/pyproject.toml"} <= set(plan.manifests)
    assert {command.directory for command in plan.tests} == {"packages/core"}


def test_a_member_that_says_nothing_of_its_tests_has_what_the_root_develops_with() -> None:
    assert "../../pyproject.toml [dependency-groups] dev" in planned("packages/core").evidence
    assert {"pytest-mock==3.10.0"} <= words(planned("packages/core"))
    assert {"shop-core", "odd", "sphinx"}.isdisjoint(words(planned("packages/core")))
    assert "pytest-cov" in words(planned("packages/web"))
    assert "pytest-mock==3.10.0" not in words(planned("packages/web"))


def test_the_root_s_own_project_is_nothing_of_an_index() -> None:
    root = ROOT.replace('"odd"', '"all-shops[web]"') + "[project]\nname = 'All_Shops'\n"
    plan = planned("packages/core", **{"pyproject.toml": root})
    assert "pytest-mock==3.10.0" in words(plan)
    assert "all-shops[web]" not in words(plan)


def test_what_is_no_member_or_has_its_own_goes_by_its_own() -> None:
    assert "../../uv.lock" not in words(planned("packages/old"))
    own = planned(
        "packages/core", **{"packages/core/uv.lock": "version = 1\n", "packages/core/.python-version": "3.9\n"}
    )
    assert "../../uv.lock" not in words(own)
    assert own.tools[0].preferred == "==3.9.*"
