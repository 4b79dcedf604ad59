"""The files that boxes of a data folder share, while other engines are opened on it."""

import os
from pathlib import Path

from repo_tools.sandbox.box_root import ETC_FILES, host_files, write_etc


def files(folder: Path) -> dict[str, tuple[int, float]]:
    """Which they are, and when they were written."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime) for path in folder.iterdir()}


def test_files_that_are_right_are_not_touched(tmp_path: Path) -> None:
    write_etc(tmp_path / "etc")
    for path in (tmp_path / "etc").iterdir():
        os.utime(path, (0, 0))
    before = files(tmp_path / "etc")
    write_etc(tmp_path / "etc")
    assert files(tmp_path / "etc") == before
    assert {name for name, (_, written) in before.items() if written == 0} == ETC_FILES.keys()


def test_a_file_that_is_not_right_is_replaced_whole(tmp_path: Path) -> None:
    """A box that shows the one from before goes on to."""
    write_etc(tmp_path)
    passwd = tmp_path / "passwd"
    passwd.write_text("of an earlier release")
    with passwd.open() as shown:
        write_etc(tmp_path)
        assert shown.read() == "of an earlier release"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == ETC_FILES


PRIVATE = (
    *("environment", "environment.d/token.conf", "hosts", "machine-id", "profile.d/token.sh", "resolv.conf"),
    *("gshadow", "krb5.conf", "krb5.keytab", "shadow", "ssh/ssh_host_ed25519_key", "ssl/private/key", "sudoers"),
    *("apt/auth.conf", "apt/auth.conf.d/private.conf", "cloud/cloud.cfg", "default/agent-fix", "docker/daemon.json"),
    *("gitconfig", "gradle/gradle.properties", "maven/settings-security.xml", "maven/settings.xml", "netrc", "npmrc"),
    *("host.pem", "java/secret", "java-17-openjdk.tar", "pip.conf", "pki/tls/private/host.key", "wgetrc"),
)
"""What holds secrets, or may name what is within a company."""


def test_of_the_machines_etc_what_programs_need_is_shown_and_nothing_else(tmp_path: Path) -> None:
    """Debian's Java has its settings there, and Maven the file that starts it."""
    needed = ("java-17-openjdk/security/java.security", "ld.so.cache", "maven/m2.conf")
    for name in (*needed, *PRIVATE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    shown = {str(Path(path).relative_to(tmp_path)) for path in host_files(tmp_path)}
    assert shown == {"java-17-openjdk", "ld.so.cache", "maven/m2.conf"}
