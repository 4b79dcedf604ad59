"""Which detector knows a repository. The first that recognises it decides."""

from repo_tools.changes import Tree
from repo_tools.environment.contract import Detector, Environment, ReadFile
from repo_tools.environment.python import PythonDetector
from repo_tools.errors import RepoError

DETECTORS: tuple[Detector, ...] = (PythonDetector(),)


class NoTestsError(RepoError):
    """No detector found tests. The text says what was looked for."""


def detect(tree: Tree, read: ReadFile, detectors: tuple[Detector, ...] = DETECTORS) -> Environment:
    """How to set up and test the repository whose base commit is `tree`. NoTestsError."""
    for detector in detectors:
        environment = detector.detect(tree, read)
        if environment is not None:
            return environment
    wanted = "; ".join(detector.looked_for for detector in detectors)
    raise NoTestsError(f"No tests were found in {len(tree)} files. Looked for: {wanted}.")
