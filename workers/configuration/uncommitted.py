"""Whether somebody tries out a `.github/agent-fix.yml` that no commit has yet, and would wonder why it does nothing."""

from pathlib import Path

from repo_tools.local import LocalRepository
from workers.configuration.contract import PATH


def uncommitted_note(path: Path, revision: str) -> str:
    """For the person at the work tree that holds `path`; empty where its file is that of the commit. RepoError."""
    repository = LocalRepository(path)
    checkout = repository.checkout(repository.resolve(revision))
    here = path.joinpath(*[".."] * repository.below.count("/"), PATH)
    if not here.is_file() or here.is_symlink():
        return ""
    if PATH in checkout.tree and _lines(checkout.read(PATH)) == _lines(here.read_bytes()):
        return ""
    known = f"{PATH} counts as commit {checkout.commit[:12]} has it, which differs from the file here"
    return f"{known}: commit it, or give a --base that has it"


def _lines(content: bytes) -> bytes:
    """Git may write other ends of lines into a work tree than it keeps."""
    return content.replace(b"\r\n", b"\n")
