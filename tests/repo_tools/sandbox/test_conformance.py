"""The contract of `Sandbox`, on every engine."""

import io
import os
import signal
import tarfile
import time

import pytest

from repo_tools.changes import FileMode, TreeEntry, blob_id
from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec, Sandbox, SandboxEngine
from tests.support.boxes import LIMITS, MIB, process_count, python, sh, tar_of

# Commands


def test_a_command_gives_its_exit_code_and_both_outputs_in_order(box: Sandbox) -> None:
    result = sh(box, "echo one; echo two >&2; echo three; exit 3")
    assert (result.exit_code, result.output) == (3, b"one\ntwo\nthree\n")
    assert not result.timed_out
    assert 0 < result.seconds < 5


def test_a_command_that_a_signal_ended_gives_128_and_the_number(box: Sandbox) -> None:
    assert sh(box, "kill -SEGV $$").exit_code == 128 + signal.SIGSEGV


def test_a_program_that_is_not_there_is_127_and_one_that_is_none_is_126(box: Sandbox) -> None:
    assert box.exec(["no-such-program"], timeout_seconds=5).exit_code == 127
    assert box.exec(["/usr"], timeout_seconds=5).exit_code == 126


def test_a_folder_that_is_not_there_fails_the_command_and_not_the_box(box: Sandbox) -> None:
    result = box.exec(["true"], timeout_seconds=5, cwd="/workspace/none")
    assert result.exit_code in (126, 127)
    assert sh(box, "true").exit_code == 0


def test_arguments_are_passed_as_they_are(box: Sandbox) -> None:
    words = ["$(id)", "a b", "", "*", "-n", "ö\udcff", "new\nline"]
    result = box.exec(["printf", "%s\\0", *words], timeout_seconds=5)
    assert result.output.split(b"\0")[:-1] == [os.fsencode(word) for word in words]


def test_standard_input_arrives_whole(box: Sandbox) -> None:
    content = os.urandom(3 * MIB)
    result = box.exec(["sha1sum"], timeout_seconds=30, stdin=content)
    expected = box.exec(["sha1sum"], timeout_seconds=30, stdin=b"")
    assert result.output != expected.output
    assert box.exec(["cat"], timeout_seconds=30, stdin=content, max_output_bytes=4 * MIB).output == content


def test_a_command_sees_a_fixed_environment_and_what_it_is_given(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    lines = sh(box, "env", environment={"GIVEN": "yes"}).output.decode().splitlines()
    names = {line.split("=", 1)[0] for line in lines}
    assert names == {"PATH", "HOME", "LANG", "PWD", "GIVEN"}
    assert any(line.startswith("PATH=/env/venv/bin:") for line in lines)


def test_commands_start_in_the_workspace_without_open_descriptors(box: Sandbox) -> None:
    assert sh(box, "pwd").output == b"/workspace\n"
    assert sh(box, "ls /proc/self/fd").output.split() == [b"0", b"1", b"2", b"3"]  # 3 is ls's own


def test_long_output_is_cut_in_the_middle(box: Sandbox) -> None:
    result = sh(box, "echo begin; head -c 1000000 /dev/zero | tr '\\0' x; echo end", max_output_bytes=1000)
    assert len(result.output) == 1000
    assert result.output.startswith(b"begin\nx")
    assert result.output.endswith(b"xend\n")
    assert result.truncated_bytes == 1_000_010 - 1000


def test_endless_output_costs_no_memory(box: Sandbox) -> None:
    result = sh(box, "head -c 2000000000 /dev/zero", max_output_bytes=1000, timeout_seconds=60)
    assert result.truncated_bytes == 2_000_000_000 - 1000
    status = sh(box, "grep VmHWM /proc/1/status").output.split()
    assert int(status[1]) < 64 * 1024


def test_output_is_whole_at_its_limit(box: Sandbox) -> None:
    result = sh(box, "printf 12345", max_output_bytes=5)
    assert (result.output, result.truncated_bytes) == (b"12345", 0)


def test_the_time_out_ends_a_command_and_keeps_what_it_said(box: Sandbox) -> None:
    began = time.monotonic()
    result = sh(box, "trap '' TERM INT HUP; echo before; while :; do sleep 0.1; done", timeout_seconds=0.5)
    assert (result.exit_code, result.timed_out, result.output) == (124, True, b"before\n")
    assert time.monotonic() - began < 5


LEAVE_DAEMON = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        sys.stdout.flush()
        time.sleep(1000)
    os._exit(0)
os.wait()
"""


def test_nothing_that_a_command_leaves_running_outlives_it(box: Sandbox) -> None:
    began = time.monotonic()
    assert python(box, LEAVE_DAEMON).exit_code == 0
    assert sh(box, "sleep 1000 & nohup sleep 1000 >/dev/null 2>&1 &").exit_code == 0
    assert time.monotonic() - began < 10, "a daemon that holds the output open does not hold the command up"
    assert process_count(box) == 2


def test_an_end_by_time_out_leaves_no_process_either(box: Sandbox) -> None:
    python(box, LEAVE_DAEMON.replace("os.wait()", "time.sleep(1000)"), timeout_seconds=0.5)
    assert process_count(box) == 2


def test_commands_are_nobody_and_may_nothing(box: Sandbox) -> None:
    status = sh(box, "cat /proc/self/status").output.decode()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert "0" not in fields["Uid"].split()
    assert int(fields["CapEff"], 16) == int(fields["CapPrm"], 16) == int(fields["CapBnd"], 16) == 0
    assert fields["NoNewPrivs"] == "1"


def test_only_the_volumes_can_be_written(box: Sandbox) -> None:
    for path in ("/x", "/usr/x", "/etc/x", "/env/x", "/dev/x", "/proc/x", "/home/x"):
        assert sh(box, f"touch {path}").exit_code != 0, path
    for path in ("/workspace/x", "/tmp/x", "/tmp/home/x"):
        assert sh(box, f"mkdir -p $(dirname {path}); touch {path}").exit_code == 0, path


def test_there_is_no_network(box: Sandbox) -> None:
    assert sh(box, "tail -n +3 /proc/net/dev | cut -d: -f1 | grep -v lo").output == b""
    program = "import socket; socket.create_connection(('1.1.1.1', 53), 2)"
    assert b"unreachable" in python(box, program).output


# Limits


def test_a_full_volume_is_enospc_for_the_host_and_for_the_box(box: Sandbox) -> None:
    assert b"No space left" in sh(box, "head -c 100000000 /dev/zero > full").output
    with pytest.raises(OSError, match="No space left") as caught:
        box.write("/workspace/more", b"x" * MIB)
    assert not isinstance(caught.value, SandboxError)
    assert "more" not in box.tree()
    box.delete("/workspace/full")
    box.write("/workspace/more", b"x" * MIB)


@pytest.mark.parametrize(("path", "size"), [("/workspace", LIMITS.workspace_bytes), ("/tmp", LIMITS.temporary_bytes)])
def test_volumes_have_their_size(box: Sandbox, path: str, size: int) -> None:
    total = python(box, f"import os; s = os.statvfs({path!r}); print(s.f_blocks * s.f_frsize)").output
    assert int(total) == size


def test_open_files_and_cores_are_limited(box: Sandbox) -> None:
    assert sh(box, "ulimit -n; ulimit -c").output.split() == [str(LIMITS.open_files).encode(), b"0"]


def test_a_fork_bomb_ends_with_its_command(fresh_box: Sandbox) -> None:
    bomb = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
    assert python(fresh_box, bomb, timeout_seconds=2).exit_code == 124
    assert process_count(fresh_box) == 2


def test_a_memory_bomb_is_killed_and_nothing_else(fresh_box: Sandbox) -> None:
    bomb = "x = []\nwhile True: x.append(bytearray(b'x' * 10_000_000))"
    assert python(fresh_box, bomb, timeout_seconds=60).exit_code == 137
    assert sh(fresh_box, "echo alive").output == b"alive\n"


# Files


@pytest.mark.parametrize("content", [b"", b"line\r\n", b"\xef\xbb\xbf\x00\xff", os.urandom(300_000)])
def test_a_file_reads_back_as_it_was_written(box: Sandbox, content: bytes) -> None:
    box.write("/workspace/deep/er/file", content)
    assert box.read("/workspace/deep/er/file", max_bytes=MIB) == content


def test_write_replaces_content_and_mode(box: Sandbox) -> None:
    box.write("/workspace/file", b"longer than the next", FileMode.EXECUTABLE)
    assert sh(box, "stat -c %a file").output == b"755\n"
    box.write("/workspace/file", b"short")
    assert sh(box, "stat -c %a file; cat file; ls -A").output == b"644\nshortfile\n"


def test_write_makes_links_and_replaces_them_without_following(box: Sandbox) -> None:
    box.write("/workspace/target", b"kept")
    box.write("/workspace/link", b"target", FileMode.SYMLINK)
    assert sh(box, "readlink link").output == b"target\n"
    box.write("/workspace/link", b"a file now")
    assert sh(box, "cat target link").output == b"kepta file now"


def test_reads_are_bounded_and_start_anywhere(box: Sandbox) -> None:
    box.write("/workspace/file", bytes(range(256)) * 1000)
    assert box.read("/workspace/file", max_bytes=3, offset=254) == b"\xfe\xff\x00"
    assert box.read("/workspace/file", max_bytes=100_000) == (bytes(range(256)) * 1000)[:100_000]
    assert box.read("/workspace/file", max_bytes=10, offset=10**9) == b""


def test_a_file_of_two_gigabytes_costs_what_is_read(box: Sandbox) -> None:
    sh(box, "truncate -s 30M sparse")
    assert box.read("/workspace/sparse", max_bytes=10, offset=30 * MIB - 4) == b"\0" * 4


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
    assert sh(box, "ls real").output == b"file\n"


def test_what_is_no_file_is_refused_without_waiting(box: Sandbox) -> None:
    python(box, "import os, socket; os.mkfifo('fifo'); socket.socket(socket.AF_UNIX).bind('socket')")
    for name in ("fifo", "socket"):
        with pytest.raises(PermissionError):
            box.read(f"/workspace/{name}", max_bytes=1)
    assert box.tree() == {}
    box.write("/workspace/fifo", b"a file now")
    assert box.read("/workspace/fifo", max_bytes=100) == b"a file now"


def test_delete_takes_files_links_and_folders_and_the_parents_that_become_empty(box: Sandbox) -> None:
    sh(box, "mkdir -p a/b/c d; touch a/b/c/file a/keep d/file; ln -s /etc d/link")
    box.delete("/workspace/a/b/c/file")
    assert sh(box, "find . | sort").output.split() == [b".", b"./a", b"./a/keep", b"./d", b"./d/file", b"./d/link"]
    box.delete("/workspace/d")
    box.delete("/workspace/a/keep")
    assert sh(box, "find .").output.split() == [b"."]
    assert box.exec(["test", "-e", "/etc/passwd"], timeout_seconds=5).exit_code == 0


def test_a_folder_too_deep_for_any_path_can_be_deleted(box: Sandbox) -> None:
    python(box, "import os\nfor _ in range(3000): os.mkdir('d' * 100); os.chdir('d' * 100)")
    with pytest.raises(OSError, match="too deep"):
        box.tree()
    box.delete("/workspace/" + "d" * 100)
    assert sh(box, "ls -A").output == b""


def test_a_link_swapped_in_while_the_host_works_is_never_followed(fresh_box: Sandbox) -> None:
    """Nothing runs between two calls, so that there is nobody to swap anything."""
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


def test_twenty_thousand_files_are_listed_quickly_the_second_time(box: Sandbox) -> None:
    make = (
        "import os\nfor d in range(200):\n  os.mkdir(f'{d}')\n  for f in range(100): open(f'{d}/{f}', 'w').write('x')"
    )
    python(box, make, timeout_seconds=60)
    time.sleep(0.1)
    began = time.monotonic()
    first = box.tree()
    middle = time.monotonic()
    assert len(first) == 20_000
    assert box.tree() == first
    assert time.monotonic() - middle < 0.8 * (middle - began)


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
    assert sh(box, "ls -d to/empty").exit_code == 0
    assert sh(box, "stat -c '%a %Y' to/run; stat -c %h to/hard; test -e to/fifo || echo none").output == (
        b"755 1234567890\n2\nnone\n"
    )


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
    assert sh(box, "ls -A /tmp").output == b""


def test_devices_and_special_bits_of_an_archive_are_not_made(box: Sandbox) -> None:
    box.upload(tar_of({"setuid": b"x"}, mode=0o6777), "/workspace")
    box.upload(tar_of({"device": b""}, type=tarfile.CHRTYPE, devmajor=1, devminor=3), "/workspace")
    assert sh(box, "stat -c %a setuid; ls -A").output == b"755\nsetuid\n"


def test_rubbish_instead_of_an_archive_is_an_error_of_the_call(box: Sandbox) -> None:
    with pytest.raises(OSError, match=r".") as caught:
        box.upload(io.BytesIO(os.urandom(100_000)), "/workspace")
    assert not isinstance(caught.value, SandboxError)
    assert sh(box, "echo alive").output == b"alive\n"


# Layers and ends


def test_a_layer_shows_what_set_up_left_and_cannot_be_written(engine: SandboxEngine) -> None:
    key = os.urandom(20).hex()
    assert engine.find_layer(key) is None
    with engine.start(BoxSpec(limits=LIMITS, writable_environment=True)) as setup:
        setup.write("/env/venv/bin/greet", b"#!/bin/sh\necho hello", FileMode.EXECUTABLE)
        layer = engine.save_layer(key, setup)
        sh(setup, "echo changed > /env/later")
        assert engine.save_layer(key, setup) == layer, "the first maker's stays"
    assert engine.find_layer(key) == layer
    with engine.start(BoxSpec(limits=LIMITS, layer=layer)) as box:
        assert box.exec(["greet"], timeout_seconds=5).output == b"hello\n"
        assert sh(box, "ls /env; touch /env/x").output.startswith(b"venv\n")
        assert sh(box, "touch /env/x /env/venv/bin/x; rm /env/venv/bin/greet; ls -A /env/venv/bin").output.endswith(
            b"greet\n"
        )


def test_a_closed_box_answers_no_more(engine: SandboxEngine) -> None:
    box = engine.start(BoxSpec(limits=LIMITS))
    box.close()
    box.close()
    with pytest.raises(SandboxError, match="closed"):
        box.exec(["true"], timeout_seconds=5)


def test_boxes_do_not_see_each_other(engine: SandboxEngine, box: Sandbox) -> None:
    with engine.start(BoxSpec(limits=LIMITS)) as other:
        other.write("/workspace/mine", b"")
        other.write("/tmp/mine", b"")
        assert sh(box, "ls -A /workspace /tmp").output.count(b"mine") == 0


def test_the_evidence_names_engine_and_version(engine: SandboxEngine) -> None:
    assert engine.describe().startswith(f"{engine.name} ")
    assert any(c.isdigit() for c in engine.describe())
    assert engine.platform_key() == engine.platform_key()
