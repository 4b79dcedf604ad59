"""The contract of `Sandbox` on every engine: files, trees, archives."""

import io
import os
import tarfile
import time

import pytest

from repo_tools.changes import FileMode, TreeEntry, blob_id
from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import Sandbox
from tests.support.boxes import MIB, python, sh, tar_of
from tests.support.engine import CONTRACTORS

ENGINES = CONTRACTORS


# Files


@pytest.mark.parametrize("content", [b"", b"line\r\n", b"\xef\xbb\xbf\x00\xff", os.urandom(300_000)])
def test_a_file_reads_back_as_it_was_written(box: Sandbox, content: bytes) -> None:
    box.write("/workspace/deep/er/file", content)
    assert box.read("/workspace/deep/er/file", max_bytes=MIB) == content


def test_write_replaces_content_and_mode(box: Sandbox) -> None:
    box.write("/workspace/file", b"longer than the next", FileMode.EXECUTABLE)
    assert sh(box, "find file -printf '%m\\n'").output == b"755\n"
    box.write("/workspace/file", b"short")
    assert sh(box, "find file -printf '%m\\n'; cat file; ls -A").output == b"644\nshortfile\n"


def test_write_makes_links_and_replaces_them_without_following(box: Sandbox) -> None:
    box.write("/workspace/target", b"kept")
    box.write("/workspace/link", b"target", FileMode.SYMLINK)
    assert sh(box, "readlink link").output == b"target\n"
    box.write("/workspace/link", b"a file now")
    assert sh(box, "cat target link").output == b"kepta file now"


def test_reads_are_bounded(box: Sandbox) -> None:
    box.write("/workspace/file", bytes(range(256)) * 1000)
    assert box.read("/workspace/file", max_bytes=100_000) == (bytes(range(256)) * 1000)[:100_000]


def test_missing_files_and_directories_are_told_apart(box: Sandbox) -> None:
    sh(box, "mkdir folder")
    with pytest.raises(FileNotFoundError, match="No such file"):
        box.read("/workspace/none", max_bytes=1)
    with pytest.raises(FileNotFoundError):
        box.read("/workspace/none/deeper", max_bytes=1)
    with pytest.raises(IsADirectoryError):
        box.read("/workspace/folder", max_bytes=1)
    with pytest.raises(IsADirectoryError):
        box.write("/workspace/folder", b"")
    with pytest.raises(FileNotFoundError):
        box.delete("/workspace/none")


@pytest.mark.parametrize(
    "path",
    ["../etc/passwd", "/workspace/../etc/passwd", "/workspace/./x", "workspace/x", "~/x", "", "/proc/self/environ",
     "/proc/1/environ", "/sys/kernel/notes", "/dev/stdin", "/dev/null", "/workspace/a\0b"],
)  # fmt: skip
def test_paths_that_are_no_plain_places_are_refused(box: Sandbox, path: str) -> None:
    with pytest.raises(PermissionError):
        box.read(path, max_bytes=100)
    with pytest.raises(PermissionError):
        box.write(path, b"")
    with pytest.raises(PermissionError):
        box.delete(path)


def test_no_operation_follows_a_link(box: Sandbox) -> None:
    """F02, T14."""
    sh(box, "mkdir real; echo secret > real/file; ln -s real folder; ln -s real/file link; ln -s /etc outside")
    for path in ("/workspace/link", "/workspace/folder/file", "/workspace/outside/passwd"):
        with pytest.raises(PermissionError):
            box.read(path, max_bytes=100)
    for path in ("/workspace/folder/new", "/workspace/outside/new"):
        with pytest.raises(PermissionError):
            box.write(path, b"x")
    with pytest.raises(PermissionError):
        box.delete("/workspace/folder/file")
    with pytest.raises(PermissionError):
        box.tree("/workspace/folder")
    with pytest.raises(PermissionError):
        box.download("/workspace/folder", io.BytesIO())
    with pytest.raises(PermissionError):
        box.upload(tar_of({"x": b"y"}), "/workspace/folder")
    assert sh(box, "cd real; ls").output == b"file\n"


def test_what_is_no_file_is_refused_without_waiting(box: Sandbox) -> None:
    """F03."""
    python(box, "import os, socket; os.mkfifo('fifo'); socket.socket(socket.AF_UNIX).bind('socket')")
    for name in ("fifo", "socket"):
        with pytest.raises(PermissionError):
            box.read(f"/workspace/{name}", max_bytes=1)
    assert box.tree() == {}
    box.write("/workspace/fifo", b"a file now")
    assert box.read("/workspace/fifo", max_bytes=100) == b"a file now"


def test_a_stamp_changes_with_whatever_is_done_to_a_file_and_not_when_it_is_read(box: Sandbox) -> None:
    names = ("caf\udce9", "chmod", "gone", "link", "put back", "renamed", "through/file", "none", "read")
    paths = [f"/workspace/{name}" for name in names]
    for path in paths[:-2] + paths[-1:]:
        box.write(path, b"asked")
    time.sleep(0.05)  # the kernel's clock of files goes by ticks
    before = box.stamps(paths)
    script = """
        cp -p "put back" kept; echo weak > "put back"; cp -p kept "put back"; touch -r kept caf*
        chmod 600 chmod; rm gone; ln -sf read link; cp renamed new; mv new renamed
        mv through real; ln -s real through; cat read; mkdir __pycache__; touch __pycache__/read.pyc
    """
    assert sh(box, script).output == b"asked"
    after = box.stamps(paths)
    assert [name for name, then, now in zip(names, before, after, strict=True) if then == now] == ["none", "read"]
    assert [name for name, now in zip(names, after, strict=True) if not now] == ["gone", "through/file", "none"]


def test_a_stamp_tells_a_folder_that_was_moved_from_one_that_was_written_in(box: Sandbox) -> None:
    sh(box, "mkdir moved written read; sleep 0.05")
    paths = ("/workspace/moved", "/workspace/written", "/workspace/read")
    before = box.stamps(paths)
    sh(box, "mv moved away; mv away moved; touch written/file; ls read")
    moved, written, read = ([*map(int, stamp.split())] for stamp in box.stamps(paths))
    assert moved[1] > moved[2]
    assert written[1] == written[2] > int(before[1].split()[1])
    assert b"%d %d %d" % tuple(read) == before[2]


def test_a_place_that_cannot_be_looked_at_has_no_stamp(box: Sandbox) -> None:
    sh(box, "mkdir shut; touch shut/file; chmod 0 shut")
    paths = ("/workspace/shut/file", "/proc/1/environ", "relative", "/workspace/../etc/passwd")
    assert box.stamps(paths) == (b"",) * len(paths)
    sh(box, "chmod 700 shut; mkdir -p here/b; touch here/a")
    names = ("here/..", "here/a", "here/.", "here/a", "here/b/", "gone/a", "here/a")
    assert [bool(stamp) for stamp in box.stamps([f"/workspace/{name}" for name in names])] == [
        False,
        True,
        False,
        True,
        True,
        False,
        True,
    ]
    assert box.stamps(("/", "/workspace"))[0] == b""
    assert box.stamps([]) == ()


def test_delete_takes_files_links_and_folders_and_the_parents_that_become_empty(box: Sandbox) -> None:
    sh(box, "mkdir -p a/b/c d; touch a/b/c/file a/keep d/file; ln -s /etc d/link")
    box.delete("/workspace/a/b/c/file")
    assert sh(box, "find . | sort").output.split() == [b".", b"./a", b"./a/keep", b"./d", b"./d/file", b"./d/link"]
    box.delete("/workspace/d")
    box.delete("/workspace/a/keep")
    assert sh(box, "find .").output.split() == [b"."]
    assert box.exec(["test", "-e", "/etc/passwd"], timeout_seconds=30).exit_code == 0


def test_a_folder_too_deep_for_any_path_can_be_deleted(box: Sandbox) -> None:
    python(box, "import os\nfor _ in range(3000): os.mkdir('d' * 100); os.chdir('d' * 100)")
    with pytest.raises(OSError, match="too deep"):
        box.tree()
    box.delete("/workspace/" + "d" * 100)
    assert sh(box, "ls -A").output == b""


def test_a_link_swapped_in_while_the_host_works_is_never_followed(fresh_box: Sandbox) -> None:
    """F02: nothing runs between two calls, so that there is nobody to swap anything."""
    swapper = (
        "import os\nif os.fork() == 0:\n  os.setsid()\n  while True:\n"
        "    for step in (lambda: os.symlink('/etc', 'swap'), lambda: os.unlink('swap'), lambda: os.mkdir('swap'),"
        " lambda: os.rmdir('swap')):\n      try: step()\n      except OSError: pass\n"
    )
    assert python(fresh_box, swapper).exit_code == 0
    state = [sh(fresh_box, "stat -c '%F %Z' swap 2>&1").output for _ in range(3)]
    assert len(set(state)) == 1


# Trees


def test_a_tree_is_what_git_would_see(box: Sandbox) -> None:
    sh(box, "mkdir -p .git/x sub/.git; touch .git/config; printf a > sub/.git/b; printf run > run; chmod +x run")
    sh(box, "ln -s nowhere link; mkdir empty; printf '' > empty-file; printf odd > \"$(printf 'odd\\377\\n.txt')\"")
    assert box.tree() == {
        "sub/.git/b": TreeEntry(FileMode.REGULAR, blob_id(b"a")),
        "run": TreeEntry(FileMode.EXECUTABLE, blob_id(b"run")),
        "link": TreeEntry(FileMode.SYMLINK, blob_id(b"nowhere")),
        "empty-file": TreeEntry(FileMode.REGULAR, blob_id(b"")),
        "odd\udcff\n.txt": TreeEntry(FileMode.REGULAR, blob_id(b"odd")),
    }


def test_a_tree_tells_the_same_as_git(box: Sandbox) -> None:
    sh(box, "mkdir -p a/b; for i in $(seq 50); do echo $i > a/b/$i; done; ln -s b a/link; chmod +x a/b/7")
    script = "git init -q . && git add -A && git ls-files -s | awk '{print $1, $2, $4}'"
    listed = sh(box, script).output.decode().splitlines()
    assert [f"{e.mode} {e.blob_id} {p}" for p, e in sorted(box.tree().items())] == sorted(
        listed, key=lambda line: line.split(" ", 2)[2]
    )


def test_a_change_that_hides_its_time_and_size_is_seen(box: Sandbox) -> None:
    sh(box, "printf one > file; touch -d @1000000000 file; sleep 0.1")
    first = box.tree()
    assert first == box.tree()
    sh(box, "printf two > file; touch -d @1000000000 file")
    assert box.tree()["file"].blob_id == blob_id(b"two")
    sh(box, "printf six > new; touch -d @1000000000 new; mv new file")
    assert box.tree()["file"].blob_id == blob_id(b"six")


def test_changes_in_quick_succession_are_seen(box: Sandbox) -> None:
    for number in range(40):
        content = b"%03d" % number
        box.write("/workspace/file", content)
        assert box.tree()["file"].blob_id == blob_id(content)
        sh(box, f"printf {number + 500:03d} > file")
        assert box.tree()["file"].blob_id == blob_id(b"%03d" % (number + 500))


def test_a_change_of_mode_alone_is_seen(box: Sandbox) -> None:
    box.write("/workspace/file", b"x")
    time.sleep(0.1)
    box.tree()
    sh(box, "chmod +x file")
    assert box.tree()["file"].mode == FileMode.EXECUTABLE


def test_files_that_their_owner_may_not_read_are_listed(box: Sandbox) -> None:
    sh(box, "mkdir closed; printf x > closed/file; chmod 0 closed/file closed")
    assert box.tree() == {"closed/file": TreeEntry(FileMode.REGULAR, blob_id(b"x"))}


def test_twenty_thousand_files_are_listed_the_same_each_time(box: Sandbox) -> None:
    make = (
        "import os\nfor d in range(200):\n  os.mkdir(f'{d}')\n  for f in range(100): open(f'{d}/{f}', 'w').write('x')"
    )
    python(box, make, timeout_seconds=300)
    first = box.tree()
    assert len(first) == 20_000
    assert box.tree() == first


# Archives


def test_a_folder_comes_back_from_a_round_trip_as_it_was(box: Sandbox) -> None:
    sh(box, "mkdir -p from/empty from/deep/er; printf run > from/run; chmod 755 from/run; ln -s run from/link")
    sh(box, "cd from; head -c 300000 /dev/urandom > deep/er/big; ln deep/er/big hard; ln -s /nowhere dangling")
    sh(box, "cd from; printf x > \"$(printf 'odd\\377 \\n')\"; touch -d @1234567890 run; mkfifo fifo")
    box.write(f"/workspace/from/{'n' * 200}/{'m' * 200}", b"long")
    stream = io.BytesIO()
    box.download("/workspace/from", stream)
    stream.seek(0)
    box.upload(stream, "/workspace/to")
    assert box.tree("/workspace/to") == box.tree("/workspace/from")
    assert sh(box, "test -d to/empty").exit_code == 0
    assert sh(box, "find to/run -newermt @1234567889 ! -newermt @1234567890 -printf '%m\\n'").output == b"755\n"
    assert sh(box, "find to/hard -printf '%n\\n'; test -e to/fifo || echo none").output == b"2\nnone\n"


def test_a_folder_can_be_taken_under_another_name(box: Sandbox) -> None:
    sh(box, "mkdir -p from/deep; echo x > from/deep/file; ln from/deep/file from/hard; ln -s deep/file from/link")
    stream = io.BytesIO()
    box.download("/workspace/from", stream, "there/")
    stream.seek(0)
    with tarfile.open(fileobj=stream) as archive:
        found = {member.name: member.linkname for member in archive}
    assert found == {
        "there/deep": "",
        "there/deep/file": "",
        "there/hard": "there/deep/file",
        "there/link": "deep/file",
    }


def test_an_upload_replaces_what_stands_there(box: Sandbox) -> None:
    sh(box, "ln -s /etc/passwd file; echo old > other")
    box.upload(tar_of({"file": b"new", "other": b"newer"}), "/workspace")
    assert box.read("/workspace/file", max_bytes=100) == b"new"
    assert box.read("/workspace/other", max_bytes=100) == b"newer"


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "a/./../../tmp/x"])
def test_an_archive_cannot_reach_out_of_its_folder(box: Sandbox, name: str) -> None:
    stream = tar_of({name: b"out"})
    with pytest.raises(PermissionError):
        box.upload(stream, "/workspace/in")
    assert sh(box, "find /workspace /tmp -name x").output == b""


def test_an_archive_cannot_write_through_its_own_links(box: Sandbox) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        link = tarfile.TarInfo("out")
        link.type, link.linkname = tarfile.SYMTYPE, "/tmp"
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("out/x"))
    stream.seek(0)
    with pytest.raises(PermissionError):
        box.upload(stream, "/workspace/in")
    assert sh(box, "find /tmp -mindepth 1").output == b""


def test_devices_and_special_bits_of_an_archive_are_not_made(box: Sandbox) -> None:
    """F09."""
    box.upload(tar_of({"setuid": b"x"}, mode=0o6777), "/workspace")
    box.upload(tar_of({"device": b""}, type=tarfile.CHRTYPE, devmajor=1, devminor=3), "/workspace")
    assert sh(box, "find setuid -printf '%m\\n'; ls -A").output == b"755\nsetuid\n"


def test_rubbish_instead_of_an_archive_is_an_error_of_the_call(box: Sandbox) -> None:
    with pytest.raises(OSError, match=r".") as caught:
        box.upload(io.BytesIO(os.urandom(100_000)), "/workspace")
    assert not isinstance(caught.value, SandboxError)
    assert sh(box, "echo alive").output == b"alive\n"
