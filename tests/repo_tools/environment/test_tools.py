"""Programs that a repository asks for: what a box has, which one is chosen, and what is said where there is none."""

from pathlib import Path

import pytest

from repo_tools.changes import FileMode
from repo_tools.environment import tools_probe
from repo_tools.environment.contract import ACTIVATE, Tool
from repo_tools.environment.tools import (
    Program,
    ToolMissingError,
    choose,
    hand_over,
    nearer_python_note,
    offered,
    python_note,
)
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec

PYTHONS = (
    Program("/usr/bin/python3", "3.11.2", True),
    Program("/usr/bin/python3.9", "3.9.18", False),
    Program("/opt/python/bin/python3.13", "3.13.1", False),
    Program("/opt/python/bin/python3.12", "3.12.7", False),
)


def chosen(*versions: str) -> str:
    tools = [Tool("python", version, "pyproject.toml") for version in versions]
    return choose(tools, {"python": PYTHONS})["python"].version


def test_the_default_is_taken_where_it_fits() -> None:
    assert chosen("") == "3.11.2"
    assert chosen(">=3.8") == "3.11.2"


def test_where_it_does_not_the_newest_that_fits_is_taken() -> None:
    assert chosen(">=3.12") == "3.13.1"
    assert chosen("<3.10") == "3.9.18"
    assert chosen(">=3.12", "<3.13") == "3.12.7"


def test_what_is_preferred_is_taken_where_it_is_there_and_not_asked_for() -> None:
    wanted = Tool("python", ">=3.8", "a file", preferred=">=3.12,<3.13")
    assert choose([wanted], {"python": PYTHONS})["python"].version == "3.12.7"
    assert choose([wanted], {"python": PYTHONS[:2]})["python"].version == "3.11.2"


@pytest.mark.parametrize(
    ("preferred", "nearest"),
    [
        *(("<=3.7.999", "3.9.18"), (">=3.5,<3.8", "3.9.18"), ("==3.14.*", "3.13.1")),
        *(("==3.10.*", "3.11.2"), (">=3.14,<=3.15.999", "3.13.1")),
    ],
)
def test_where_what_is_preferred_is_not_there_the_nearest_to_it_is_taken(preferred: str, nearest: str) -> None:
    wanted = Tool("python", "", "classifiers", preferred)
    assert choose([wanted], {"python": PYTHONS})["python"].version == nearest


@pytest.mark.parametrize(
    ("preferred", "said"),
    [
        ("<=3.6.999", ("the sandbox's Python is 3.11.2; the repository names <=3.6",)),
        ("==3.8.*", ("the sandbox's Python is 3.11.2; the repository names ==3.8.*",)),
        (">=3.5,<=3.6.999", ("the sandbox's Python is 3.11.2; the repository names >=3.5,<=3.6",)),
        ("<=3.11.999", ("the sandbox's Python is 3.11.2",)),
        ("", ("the sandbox's Python is 3.11.2",)),
    ],
)
def test_which_python_it_is_is_told_and_whether_the_repository_knows_it(preferred: str, said: tuple[str, ...]) -> None:
    assert python_note([Tool("python", "", "classifiers", preferred), Tool("node")], {"python": PYTHONS[0]}) == said


@pytest.mark.parametrize(
    ("preferred", "further"), [("<=3.7.999", "3.9"), ("<=3.9.999", "3.9"), ("==3.14.*", "3.13"), ("<=3.11.999", "")]
)
def test_a_nearer_python_that_can_be_put_there_is_told_until_it_is_there(preferred: str, further: str) -> None:
    tools = [Tool("python", "", "classifiers", preferred)]
    told = (
        f"Python {further} is nearer to what it was written for: `agent-fix sandbox pythons` puts it on a machine whose"
        " sandbox is bubblewrap, and the image of `agent-fix sandbox build` has it"
    )
    alone = {"python": PYTHONS[:1]}
    assert nearer_python_note(tools, choose(tools, alone), alone) == ((told,) if further else ())
    beside = {"python": PYTHONS}
    assert nearer_python_note(tools, choose(tools, beside), beside) == ()


def test_a_nearer_python_that_the_repository_refuses_is_not_told() -> None:
    tools, alone = [Tool("python", ">=3.10", "pyproject.toml", "<=3.9.999")], {"python": PYTHONS[:1]}
    assert nearer_python_note(tools, choose(tools, alone), alone) == ()


def test_what_is_not_there_is_named_with_all_that_helps() -> None:
    tools = (
        Tool("node", ">=22", "package.json engines"),
        Tool("python", ">=4", "pyproject.toml requires-python"),
        Tool("cargo"),
    )
    offer = {"python": PYTHONS[:2], "node": (Program("/usr/bin/node", "18.19.1", True),), "cargo": ()}
    with pytest.raises(ToolMissingError) as told:
        choose(tools, offer)
    assert str(told.value) == (
        "The sandbox lacks what the repository asks for. "
        "Wanted: node >=22 (package.json engines); the image has 18.19.1. "
        "Wanted: python >=4 (pyproject.toml requires-python); the image has 3.11.2, 3.9.18. "
        "Wanted: cargo; the image has none. "
        "On Docker, `image: NAME` in .github/agent-fix.yml names an image that has it, one that the operator allows "
        "(AGENT_FIX_ALLOWED_IMAGES), or AGENT_FIX_SANDBOX_IMAGE is one; on bubblewrap the worker's own machine has to "
        "have it, below /usr. There `uv python install VERSION --install-dir /usr/local/pythons` puts a Python beside "
        "its own. For Docker, `agent-fix sandbox build --languages rust` makes an image with it, as Debian has it: "
        "name what is in it already, too."
    )


def test_of_a_language_that_is_there_in_another_version_no_image_is_promised() -> None:
    with pytest.raises(ToolMissingError) as told:
        choose([Tool("cargo", ">=2")], {"cargo": (Program("/usr/bin/cargo", "1.63.0", True),)})
    assert "--languages" not in str(told.value)


def test_of_two_that_are_as_far_from_what_is_preferred_the_newer_is_taken() -> None:
    wanted = Tool("python", ">=3.8", ".python-version", "==3.12.*")
    assert choose([wanted], {"python": PYTHONS[:3]})["python"].version == "3.13.1"


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [
        (">=3.12", "There `agent-fix sandbox pythons` puts Python 3.13 beside its own."),
        ("<3.10", "There `agent-fix sandbox pythons` puts Python 3.9 beside its own."),
        (">=3.12,<3.13", "There `uv python install VERSION"),
    ],
)
def test_a_command_is_a_remedy_only_where_it_has_what_is_asked_for(asked: str, remedy: str) -> None:
    with pytest.raises(ToolMissingError) as told:
        choose([Tool("python", asked)], {"python": PYTHONS[:1]})
    assert remedy in str(told.value)


def test_versions_that_cannot_be_read_are_left_to_set_up() -> None:
    odd = {"python": (Program("/usr/bin/python3", "", True),)}
    assert choose([Tool("python", ">=3.12")], odd)["python"].path == "/usr/bin/python3"
    assert chosen("whatever you like") == "3.11.2"
    assert chosen(">=" + "9" * 5_000) == "3.11.2"


@pytest.mark.bubblewrap
def test_a_box_is_asked_and_what_was_chosen_is_what_set_up_starts(engine: BubblewrapEngine) -> None:
    """In the box's search path there are two releases of node, with an npm beside, and a tool that says nothing;
    more may be behind them."""
    with engine.start(BoxSpec(writable_environment=True)) as box:
        for name, said in (("node", "v18.19.1"), ("node-22", "v22.3.0"), ("npm", "npm"), ("silent", "")):
            box.write(f"/env/venv/bin/{name}", f"#!/bin/sh\necho {said}\n".encode(), FileMode.EXECUTABLE)
        tools = (Tool("node", ">=20"), Tool("python", ">=3"), Tool("silent"), Tool("no-such-tool"))
        offer = offered(box, tools)
        assert [(p.path, p.version, p.is_default) for p in offer["node"][:2]] == [
            ("/env/venv/bin/node", "18.19.1", True),
            ("/env/venv/bin/node-22", "22.3.0", False),
        ]
        assert [p.version for p in offer["silent"]] == [""]
        assert offer["no-such-tool"] == ()
        variables = hand_over(box, choose(tools[:3], offer))
        assert variables == {"AGENT_FIX_PYTHON": offer["python"][0].path}
        links = box.exec(("readlink", "/env/bin/node", "/env/bin/npm"), timeout_seconds=30).output.decode().split()
        assert links == ["/env/venv/bin/node-22", "/env/venv/bin/npm"]


@pytest.mark.bubblewrap
def test_what_comes_with_a_release_of_rust_is_handed_over_with_it(engine: BubblewrapEngine) -> None:
    with engine.start(BoxSpec(writable_environment=True)) as box:
        for name, said in (("cargo", "cargo 1.63.0"), ("cargo-1.95", "cargo 1.95.0"), ("rustc", "rustc 1.95.0")):
            box.write(f"/env/venv/bin/{name}", f"#!/bin/sh\necho {said}\n".encode(), FileMode.EXECUTABLE)
        tools = (Tool("cargo", ">=1.90"),)
        hand_over(box, choose(tools, offered(box, tools)))
        links = box.exec(("readlink", "/env/bin/cargo", "/env/bin/rustc"), timeout_seconds=30).output.decode().split()
        assert links == ["/env/venv/bin/cargo-1.95", "/env/venv/bin/rustc"]


@pytest.mark.bubblewrap
def test_what_starts_python_by_its_bare_name_finds_one(engine: BubblewrapEngine) -> None:
    with engine.start(BoxSpec(writable_environment=True)) as box:
        hand_over(box, {"node": Program("/usr/bin/node", "20.20.2", True)})
        told = box.exec((*ACTIVATE, "python", "-c", "print(6 * 7)"), timeout_seconds=30)
        assert (told.exit_code, told.output) == (0, b"42\n")


@pytest.mark.bubblewrap
def test_a_box_is_not_asked_about_nothing(engine: BubblewrapEngine) -> None:
    with engine.start(BoxSpec()) as box:
        assert offered(box, ()) == {}


def test_further_releases_of_go_are_found_where_debian_has_them(tmp_path: Path) -> None:
    program = tmp_path / "go-1.23" / "bin" / "go"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho go version go1.23.5 linux/amd64\n")
    program.chmod(0o755)
    patterns = tuple(pattern.replace("/usr/lib/go-", f"{tmp_path}/go-") for pattern in tools_probe.ELSEWHERE)
    assert (str(program), "1.23.5", False) in tools_probe.main(["go"], patterns)["go"]
