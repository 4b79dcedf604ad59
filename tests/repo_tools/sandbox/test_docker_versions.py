"""Which engines and runtimes a container may rest on."""

from dataclasses import replace

import pytest

from repo_tools.sandbox.docker_versions import EngineVersions, version_problem

GOOD = EngineVersions("28.5.2", "1.3.3", "v1.3.3-0-gd842d771", seccomp=True)
DEBIAN_12 = EngineVersions("20.10.24+dfsg1", "1.1.5+ds1", "1.1.5+ds1-1+deb12u1", seccomp=True)


@pytest.mark.parametrize("runc", ["1.2.8", "1.2.9", "1.3.3", "1.3.4+ds1", "1.4.0-rc.3", "1.4.0", "1.5.0-rc.1", "2.0.0"])
def test_a_runc_with_the_fixes_is_taken(runc: str) -> None:
    """S08."""
    assert version_problem(replace(GOOD, runc=runc), "runc", None) == ""


@pytest.mark.parametrize(
    "runc",
    ["1.0.3", "1.1.5+ds1", "1.1.12", "1.2.7", "1.3.0", "1.3.2", "1.4.0-rc.1", "1.4.0-rc.2", "1.3.3-rc.1", "", "?"],
)
def test_one_without_is_refused_with_what_helps(runc: str) -> None:
    """S08."""
    problem = version_problem(replace(GOOD, runc=runc), "runc", None)
    assert "CVE-2025-52881" in problem
    assert "1.2.8, 1.3.3 or 1.4.0-rc.3" in problem
    assert "gVisor" in problem


def test_an_operator_vouches_for_one_exact_package() -> None:
    """S08."""
    assert version_problem(DEBIAN_12, "runc", None).endswith("set AGENT_FIX_ACCEPT_RUNC=1.1.5+ds1-1+deb12u1")
    assert version_problem(DEBIAN_12, "runc", "1.1.5+ds1-1+deb12u1") == ""
    for other in ("1.1.5+ds1-1+deb12u2", "1.1.5", "1", "", "*"):
        assert version_problem(DEBIAN_12, "runc", other) != ""


def test_a_runc_without_a_name_cannot_be_vouched_for() -> None:
    nameless = replace(GOOD, runc="", runc_build="")
    assert version_problem(nameless, "runc", "") != ""
    assert "AGENT_FIX_ACCEPT_RUNC" not in version_problem(nameless, "runc", None)


def test_gvisor_has_a_kernel_of_its_own_and_needs_no_new_runc() -> None:
    assert version_problem(DEBIAN_12, "runsc", None) == ""


@pytest.mark.parametrize("version", ["19.03.15", "18.09", ""])
@pytest.mark.parametrize("runtime", ["runc", "runsc"])
def test_an_engine_that_ignores_options_is_refused(version: str, runtime: str) -> None:
    assert "older than 20.10.0" in version_problem(replace(GOOD, engine=version), runtime, None)


def test_an_engine_that_filters_no_system_calls_is_refused() -> None:
    """S02."""
    assert "seccomp" in version_problem(replace(GOOD, seccomp=False), "runc", None)
