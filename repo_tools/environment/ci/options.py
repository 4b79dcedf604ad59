"""What a workflow's own test commands say besides what is tested: features of Rust, tags of Go, tests that CTest leaves
out. Without them other code is compiled than the one that is tested there. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, pairwise

from repo_tools.environment.ci.jobs import WorkflowEvidence
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.environment.go import GO_TEST, compiled_with

_OF_ONE_PART = frozenset(
    (
        *("-p", "--package", "--exclude", "--manifest-path", "--target", "-Zbuild-std", "--ignored", "--doc"),
        *("--test", "--tests", "--lib", "--bin", "--bins", "--example", "--examples", "--bench", "--benches"),
    )
)
_FEATURES_ALONE = frozenset(("--all-features", "--no-default-features"))
_FEATURES = ("--features", "-F")
_GO_ALONE = frozenset(("-short",))
_GO_WITH_VALUE = frozenset(("-tags", "-p", "-parallel", "-vet", "-ldflags", "-gcflags", "-skip"))
_GO_OF_SOME = frozenset(("-run", "-bench", "-fuzz", "-list", "-c", "-exec"))
_FOR_MORE = re.compile(r".*(?:integration|e2e|end_?to_?end|acceptance|system|functional|smoke|docker|live).*", re.I)
"""Tags of tests that want what a box has not: a network, servers, another machine."""
_CTEST_WITH_VALUE = frozenset(("-LE", "--label-exclude", "-E", "--exclude-regex"))
_CTEST_OF_SOME = frozenset(("-L", "--label-regex", "-R", "--tests-regex", "-I", "-T"))
_MOST_CHARACTERS = 1_000


def with_options(environment: Environment, evidence: WorkflowEvidence) -> Environment:
    """`environment` with the options that the job's commands for the same tests have; where one of them has none, none
    are needed."""
    language = environment.detector.partition("/")[0]
    rule = _RULES.get(language)
    if rule is None:
        return environment
    found = {command: rule(list(_same(command, evidence, language))) for command in environment.tests}
    options = {command: words for command, (words, _) in found.items() if words}
    told = [f"{evidence.source}: {' '.join(words)}" for words in dict.fromkeys(options.values())]
    left_out = dict.fromkeys(reason for _, reason in found.values() if reason)
    setup = environment.setup
    for words in dict.fromkeys(options.values()):
        setup = tuple(replace(step, argv=_compiled(step.argv, words)) for step in setup)
    return replace(
        environment,
        tests=tuple(replace(c, argv=_added(c.argv, options.get(c, ()))) for c in environment.tests),
        setup=setup,
        evidence=(*environment.evidence, *told),
        left_out=(*environment.left_out, *left_out),
    )


def _same(command: TestCommand, evidence: WorkflowEvidence, language: str) -> Iterator[tuple[str, ...]]:
    """The words behind the program of the job's commands in the same folder, and of those that they start."""
    for found in chain.from_iterable((test, *test.started) for test in evidence.tests):
        words = found.program
        where = language == "cmake" or found.directory == command.directory
        known = not found.in_part and sum(map(len, words)) <= _MOST_CHARACTERS
        if known and where and (own := _PROGRAMS[language](words)) is not None:
            yield own


def _of_cargo(words: tuple[str, ...]) -> tuple[str, ...] | None:
    words = tuple(word for word in words if not word.startswith("+"))
    if words[:2] == ("cargo", "test"):
        return words[2:]
    return words[3:] if words[:3] == ("cargo", "nextest", "run") else None


def _of_go(words: tuple[str, ...]) -> tuple[str, ...] | None:
    if words[:1] == ("gotestsum",):
        return words[words.index("--") + 1 :] if "--" in words else None
    return words[2:] if words[:2] == GO_TEST else None


def _of_ctest(words: tuple[str, ...]) -> tuple[str, ...] | None:
    return words[1:] if words[:1] == ("ctest",) else None


Found = tuple[tuple[str, ...], str]
"""Options, and what they leave out of the tests, for a person."""


def _cargo_options(commands: list[tuple[str, ...]]) -> Found:
    whole = [_before_dashes(words) for words in commands]
    kept = [_features(words) for words in whole if not _names(words) & _OF_ONE_PART]
    return ((), "") if not kept or () in kept else (kept[0], "")


def _features(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_chosen(words, _FEATURES_ALONE, frozenset(_FEATURES)))


def _go_options(commands: list[tuple[str, ...]]) -> Found:
    """Of several the one with the fewest tags."""
    kept = [tuple(_chosen(words, _GO_ALONE, _GO_WITH_VALUE)) for words in map(_one_dash, commands)]
    whole = [k for k, words in zip(kept, map(_one_dash, commands), strict=True) if not _names(words) & _GO_OF_SOME]
    if not whole:
        return (), ""
    words = min(whole, key=lambda words: len(_tags(words)))
    tags = [tag for tag in _tags(words) if not _FOR_MORE.fullmatch(tag)]
    more = [tag for tag in _tags(words) if tag not in tags]
    plain = tuple(word for word in words if not word.startswith("-tags="))
    why = f"tests with the build tag {', '.join(more)}, which want more than a sandbox has" if more else ""
    return (*([f"-tags={','.join(tags)}"] if tags else []), *plain), why


def _tags(words: Iterable[str]) -> list[str]:
    """Commas or, as of old, spaces part them."""
    named = next((word.removeprefix("-tags=") for word in words if word.startswith("-tags=")), "")
    return [tag for tag in re.split(r"[,\s]+", named) if tag]


def _ctest_options(commands: list[tuple[str, ...]]) -> Found:
    whole = [words for words in commands if not _names(words) & _CTEST_OF_SOME]
    kept = [tuple(_chosen(words, frozenset(), _CTEST_WITH_VALUE, joined=False)) for words in whole]
    return ((), "") if not kept or () in kept else (kept[0], "")


def _before_dashes(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[: words.index("--")] if "--" in words else words


def _one_dash(words: tuple[str, ...]) -> tuple[str, ...]:
    """Go takes two as well."""
    return tuple(word[1:] if word.startswith("--") and len(word) > 2 else word for word in words)


def _names(words: Iterable[str]) -> set[str]:
    return {word.partition("=")[0] for word in words}


def _chosen(
    words: tuple[str, ...], alone: frozenset[str], with_value: frozenset[str], *, joined: bool = True
) -> Iterator[str]:
    """Each of the wanted options, with its value in the same word or (not `joined`) in the next."""
    for word, after in pairwise((*words, "")):
        name, separator, value = word.partition("=")
        if word in alone:
            yield word
        elif name in with_value and (given := value if separator else after):
            yield from [f"{name}={given}"] if joined else [name, given]


def _added(argv: tuple[str, ...], options: tuple[str, ...]) -> tuple[str, ...]:
    """Behind the name of what is done: ``go test -short ./...``."""
    return (*argv[:2], *options, *argv[2:]) if argv[:2] == GO_TEST else (*argv, *options)


def _compiled(argv: tuple[str, ...], options: tuple[str, ...]) -> tuple[str, ...]:
    """A command of set-up, with the same where it compiles the tests."""
    return (*argv, *options) if argv[:3] == ("cargo", "test", "--no-run") else compiled_with(argv, options)


_PROGRAMS = {"rust": _of_cargo, "go": _of_go, "cmake": _of_ctest}
_RULES: dict[str, Callable[[list[tuple[str, ...]]], Found]] = {
    "rust": _cargo_options,
    "go": _go_options,
    "cmake": _ctest_options,
}
