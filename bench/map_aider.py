"""Run inside of aider's own environment: aider's map of the repository in the current folder, on standard output.

`map_aider.py ISSUE TOKENS…`, each map with a NUL behind it. What the issue mentions is handed over as aider itself
does it for a message: its words as names, files by their paths or last names, and files whose name without suffix is
one of the words.
"""

import re
import subprocess
import sys
from pathlib import Path

from aider.io import InputOutput  # type: ignore[import-not-found]
from aider.repomap import RepoMap  # type: ignore[import-not-found]


class Model:
    """Counts tokens by four characters, as aider's own rule of thumb is; no model is asked."""

    def token_count(self, text: str) -> int:
        return len(text) // 4


listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True).stdout
files = listed.decode("utf-8", "surrogateescape").split("\0")[:-1]
text = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
names = set(re.split(r"\W+", text)) - {""}
words = {word.strip("\"'`,.;:!?()") for word in text.split()}
long_names = {name.lower() for name in names if len(name) >= 5}
mentioned = {path for path in files if path in words or path.rsplit("/", 1)[-1] in words}
mentioned |= {path for path in files if path.rsplit("/", 1)[-1].split(".")[0].lower() in long_names}
for tokens in sys.argv[2:]:
    mapper = RepoMap(int(tokens), ".", Model(), InputOutput(yes=True, pretty=False))
    shown = mapper.get_repo_map([], files, mentioned_fnames=mentioned, mentioned_idents=names) or ""
    print(shown, end="\0")
