"""What a job runs in a service of a compose file (``docker compose run web pytest``), or in an image (``docker run app
pytest``), as the command that it comes to where the repository itself is what the container holds. Nothing is run.

https://docs.docker.com/reference/cli/docker/compose/run/
"""

from functools import cache
from itertools import islice, pairwise

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.compose import Composed, composed_by, is_composed
from repo_tools.environment.ci.compose_file import ComposeFile, command_of, dockerfile_of, said_to
from repo_tools.environment.ci.container import Image, done_within
from repo_tools.environment.ci.docker_run import Images, is_of_docker
from repo_tools.environment.ci.steps import MOST_COMMANDS, Expand
from repo_tools.environment.contract import ReadFile
from repo_tools.yaml_text import Node

MOST_CONTAINED = 60
"""Commands that are read."""
_WITHIN = frozenset(("run", "exec"))
_WAITS = "--exit-code-from"


def containing(tree: Tree, read: ReadFile) -> Expand:
    """For the compose files and Dockerfiles of `tree`: what one of Docker's commands runs in a container, if it does.
    Of what is no service only tests count: many an image is a tool."""

    images = Images(tree, read)

    @cache
    def composed_in(command: CommandEvidence) -> tuple[CommandEvidence, ...]:
        composed = composed_by(command, tree, read)
        options, name, words = _told(composed) if composed else ([], "", ())
        if composed is None or not name or not composed.service(name).mapping:
            return ()
        service, file = composed.service(name), composed.files[0]
        image = Image(file, *dockerfile_of(service, file))
        told = words or tuple(command_of(service, file)) or image.built.command
        said = {
            key: value for each in composed.files for key, value in said_to(each.service(name) or service, each).items()
        }
        return tuple(islice(done_within(service, said, options, image, command, told), MOST_COMMANDS))

    @cache
    def run_in(command: CommandEvidence) -> tuple[CommandEvidence, ...]:
        run = images.run_by(command)
        if run is None:
            return ()
        image = Image(ComposeFile("", "", dict(command.variables), tree, read), run.built, run.context)
        mounted = Node({"volumes": Node([Node(each, 0) for each in run.mounts], 0)}, 0)
        done = done_within(mounted, run.variables, run.options, image, command, run.words)
        found = (*islice(done, MOST_COMMANDS),)
        return found if any(each.is_test for each in found) else ()

    def asked(command: CommandEvidence) -> tuple[CommandEvidence, ...]:
        inside = composed_in if is_composed(command) else run_in
        is_known = is_of_docker(command) and inside.cache_info().currsize < MOST_CONTAINED
        return inside(command) if is_known else ()

    return asked


def _told(composed: Composed) -> tuple[list[tuple[str, str]], str, tuple[str, ...]]:
    """(options, service, words) of what is waited for."""
    if composed.verb in _WITHIN:
        return composed.named()
    words = composed.words if composed.verb == "up" else ()
    said = [(option, value) for option, _, value in (word.partition("=") for word in words)]
    waited = (value for option, value in (*pairwise(words), *said) if option == _WAITS and value)
    return [], next(waited, ""), ()
