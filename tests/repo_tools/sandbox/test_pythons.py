"""Further Pythons where they cannot be had; what is made of Debian's packages runs in the image's own tests."""

import os
from pathlib import Path

import pytest

from repo_tools.errors import SandboxError
from repo_tools.sandbox.pythons import FURTHER, pythons_below, unpack_pythons


def test_a_python_that_debian_no_longer_has_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mmdebstrap").write_text("#!/bin/sh\necho the suite has moved >&2\nexit 1\n")
    (tmp_path / "mmdebstrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (folder := tmp_path / "pythons").mkdir()
    said: list[str] = []
    assert unpack_pythons(folder, "/opt", said.append) == ()
    assert [line for line in said if line.endswith("left out: the suite has moved")] == [
        f"Python {python.version} cannot be had, and is left out: the suite has moved" for python in FURTHER
    ]
    assert list(folder.iterdir()) == []


UNPACKS = """#!/bin/sh
cd $(mktemp -d)
name=$(echo "$3" | sed 's/.*=\\(python3[.][0-9]*\\),.*/\\1/')
libraries=usr/lib/x86_64-linux-gnu
headers=usr/include/x86_64-linux-gnu/$name
config=usr/lib/$name/config-3-x86_64-linux-gnu
mkdir -p usr/bin $config $libraries usr/include/$name $headers usr/share/python-wheels
touch usr/bin/$name $libraries/libc.so.6 $libraries/libssl.so.3 $libraries/lib$name.so.1 usr/lib/$name/libpython.a
ln -s ../../x86_64-linux-gnu/lib$name.so.1 $config/lib$name.so
echo "place = '/usr/share/python-wheels'" > usr/lib/$name/wheels.py
echo "{'LIBDIR': '/usr/lib', 'LIBPL': '/usr/lib/$name/config'}" > usr/lib/$name/_sysconfigdata_a.py
echo plain > usr/include/$name/pyconfig.h
echo whole > $headers/pyconfig.h
printf '#!/bin/sh\\necho "$*" >> "$CALLS"\\n' > $libraries/ld-linux.so.2
chmod +x $libraries/ld-linux.so.2
tar -c .
rm -rf "$PWD"
"""


def test_a_python_is_a_folder_that_lacks_nothing_and_takes_the_place_of_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mmdebstrap").write_text(UNPACKS)
    (tmp_path / "mmdebstrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    (stale := tmp_path / "pythons" / "python3.9" / "stale").mkdir(parents=True)
    (stale.parent / "made-by-agent-fix").touch()
    before = os.umask(0o077)
    try:
        older, newer = unpack_pythons(tmp_path / "pythons", "/opt", print)
    finally:
        os.umask(before)
    made = (older, *(older / name for name in ("bin", "include", "lib", "lib/beside", "share")))
    assert {path.stat().st_mode & 0o777 for path in made} == {0o755}
    assert not stale.exists()
    assert sorted(path.name for path in (older / "lib" / "beside").iterdir()) == ["libpython3.9.so.1", "libssl.so.3"]
    assert (older / "lib" / "python3.9" / "config-3-x86_64-linux-gnu" / "libpython3.9.so").resolve().is_file()
    assert {"libc.so.6", "ld-linux.so.2"} <= {path.name for path in (newer / "lib" / "beside").iterdir()}
    assert (older / "include" / "python3.9" / "pyconfig.h").read_text() == "whole\n"
    assert (older / "lib" / "python3.9" / "wheels.py").read_text() == "place = '/opt/python3.9/share/python-wheels'\n"
    assert (older / "lib" / "python3.9" / "_sysconfigdata_a.py").read_text() == (
        "{'LIBDIR': '/opt/python3.9/lib/beside', 'LIBPL': '/opt/python3.9/lib/python3.9/config'}\n"
    )
    assert not (older / "lib" / "python3.9" / "libpython.a").exists()
    compiled = [call for call in (tmp_path / "calls").read_text().splitlines() if " -m compileall " in call]
    assert [call.rpartition("/lib/")[2] for call in compiled] == ["python3.9", "python3.13"]
    assert sorted(path.name for path in older.parent.iterdir()) == ["python3.13", "python3.9"]


@pytest.mark.parametrize("kind", ["a folder", "a link"])
def test_what_this_command_did_not_make_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    (tmp_path / "mmdebstrap").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "mmdebstrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (precious := tmp_path / "own" / "os.py").parent.mkdir()
    precious.touch()
    there = tmp_path / "python3.13"
    there.symlink_to("own") if kind == "a link" else precious.parent.rename(there)
    with pytest.raises(SandboxError, match=r"python3\.13 is there, and was not made by this command: move it"):
        unpack_pythons(tmp_path, "/opt", print)
    assert (there / "os.py").is_file()
    assert not (tmp_path / "python3.9").exists()


def test_a_machine_that_cannot_take_debians_packages_is_told_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match="mmdebstrap is not here: install it, and debian-archive-keyring"):
        unpack_pythons(tmp_path, "/opt", print)


def test_the_pythons_of_a_machine_are_known_by_where_they_lie_and_told_apart_there(tmp_path: Path) -> None:
    there = [
        "bin/python3.11",
        "local/bin/python3.12",
        "local/python3.9/bin/python3.9",
        "local/pythons/a/bin/python3.13",
    ]
    for name in [
        *there,
        "local/.python-a/python3.9/bin/python3.9",
        "bin/python3",
        "bin/python3.11-config",
        "lib/python3.8/bin/python3.8",
    ]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "local" / "bin" / "python3.10").symlink_to("nowhere")
    known = pythons_below(tmp_path)
    assert [one.split()[0] for one in known] == [str(tmp_path / name) for name in there]
    (tmp_path / there[2]).write_text("another one")
    assert [old == new for old, new in zip(known, pythons_below(tmp_path), strict=True)] == [True, True, False, True]
