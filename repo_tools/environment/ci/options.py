"""What a workflow's own test commands say besides what is tested: features of Rust, tags of Go, tests that CTest leaves
out. Without them other code is compiled than the one that is tested there. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, pairwise

from repo_tools.environment.ci.commands import NOT_KNOWN
from repo_tools.environment.ci.jobs import WorkflowEvidence
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.environment.go import GO_TEST, compiled_with

_OTHER_LIBRARY = "build-std"
_OF_ONE_PART = frozenset(
    (
        *("-p", "--package", "--manifest-path", "--target", "--ignored", "--doc", _OTHER_LIBRARY),
        *("--test", "--tests", "--lib", "--bin", "--bins", "--example", "--examples", "--bench", "--benches"),
    )
)
_FEATURES_ALONE = frozenset(("--all-features", "--no-default-features"))
_FEATURES = ("--features", "-F")
_EXCLUDED = "--exclude"
_GO_ALONE = frozenset(("-short",))
_GO_WITH_VALUE = frozenset(("-tags", "-p", "-parallel", "-vet", "-ldflags", "-gcflags", "-skip"))
_GO_OF_SOME = frozenset(("-run", "-bench", "-fuzz", "-list", "-c", "-exec"))
_FOR_MORE = re.compile(r".*(?:integration|e2e|end_?to_?end|acceptance|system|functional|smoke|docker|live).*", re.I)
"""Tags of tests that want what a box has not: a network, servers, another machine."""
_CTEST_WITH_VALUE = frozenset(("-LE", "--label-exclude", "-E", "--exclude-regex"))
_CTEST_OF_SOME = frozenset(("-L", "--label-regex", "-R", "--tests-regex", "-I", "-T"))
_MOST_CHARACTERS = 1_000


def with_options(environment: Environment, found: Iterable[WorkflowEvidence]) -> Environment:
    """`environment` with the options that the first of these jobs that runs the same tests has for them; where one of
    its commands has none, none are needed."""
    language = environment.detector.partition("/")[0]
    rule = _RULES.get(language)
    known = tuple(found) if rule else ()
    tests = []
    for_setup: dict[str, tuple[str, ...]] = {}  # folder -> the options of its tests
    told: dict[str, None] = {}
    left_out: dict[str, None] = {}
    for command in environment.tests:
        source, words, why = _found(command, known, language, rule) if rule else ("", (), "")
        words = tuple(word for word in words if "--workspace" in command.argv or not word.startswith(_EXCLUDED))
        tests.append(replace(command, argv=_added(command.argv, words)))
        for_setup[command.directory] = for_setup.get(command.directory) or words
        told |= {f"{source}: {' '.join(words)}": None} if words else {}
        left_out |= {why: None} if why else {}
    setup = (replace(s, argv=_compiled(s.argv, for_setup.get(s.directory, ()))) for s in environment.setup)
    return replace(
        environment,
        tests=tuple(tests),
        setup=tuple(setup),
        evidence=(*environment.evidence, *told),
        left_out=(*environment.left_out, *left_out),
    )


def _found(
    command: TestCommand, known: tuple[WorkflowEvidence, ...], language: str, rule: "Rule"
) -> tuple[str, tuple[str, ...], str]:
    for evidence in known:
        if (options := rule(list(_same(command, evidence, language)))) is not None:
            return evidence.source, *options
    return "", (), ""


def _same(command: TestCommand, evidence: WorkflowEvidence, language: str) -> Iterator[tuple[str, ...]]:
    """The words behind the program of the job's commands in the same folder, and of those that they start."""
    for found in chain.from_iterable((test, *test.started) for test in evidence.tests):
        words = found.program
        where = language == "cmake" or found.directory == command.directory
        known = language == "go" or NOT_KNOWN not in " ".join(words)  # Go's may be names of packages
        known &= sum(map(len, words)) <= _MOST_CHARACTERS
        if known and where and (own := _PROGRAMS[language](words)) is not None:
            yield own


_CARGO_TESTS = (("cargo", "test"), ("cargo", "llvm-cov"), ("cargo", "tarpaulin"))
_WITHOUT_TESTS = frozenset(("clean", "report", "show-env"))
"""Of llvm-cov."""


def _of_cargo(words: tuple[str, ...]) -> tuple[str, ...] | None:
    words = tuple(word for word in words if not word.startswith("+"))
    if words[:2] in _CARGO_TESTS:
        rest = words[2:]
        return None if rest[:1] and rest[0] in _WITHOUT_TESTS else rest
    return words[3:] if words[:3] == ("cargo", "nextest", "run") else None


def _of_go(words: tuple[str, ...]) -> tuple[str, ...] | None:
    if words[:1] == ("gotestsum",):
        return words[words.index("--") + 1 :] if "--" in words else None
    return words[2:] if words[:2] == GO_TEST else None


def _of_ctest(words: tuple[str, ...]) -> tuple[str, ...] | None:
    return words[1:] if words[:1] == ("ctest",) else None


Found = tuple[tuple[str, ...], str] | None
"""Options, and what they leave out of the tests, for a person; None where no command is for all of the tests."""
Rule = Callable[[list[tuple[str, ...]]], Found]


def _cargo_options(commands: list[tuple[str, ...]]) -> Found:
    """Of several the one that leaves out the fewest members."""
    whole = [words for words in map(_before_dashes, commands) if not _names(_at_root(words)) & _OF_ONE_PART]
    if not whole:
        return None
    kept = [_features(words) for words in whole]
    left_out = min((tuple(_chosen(words, frozenset(), frozenset((_EXCLUDED,)))) for words in whole), key=len)
    return (*(() if () in kept else kept[0]), *left_out), ""


def _at_root(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without a manifest, and a machine, that are named and would be taken anyway."""
    text = re.sub(r"--(manifest-path|target)=", r"--\1 ", " ".join(words))
    return tuple(
        re.sub(r"--(?:manifest-path (?:\./)?Cargo\.toml|target x86_64-unknown-linux-gnu)(?= |$)", "", text).split()
    )


def _features(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_chosen(words, _FEATURES_ALONE, frozenset(_FEATURES)))


def _go_options(commands: list[tuple[str, ...]]) -> Found:
    """Of several the one with the fewest tags."""
    whole = [words for words in map(_one_dash, commands) if _is_whole(words)]
    kept = [tuple(_chosen(words, _GO_ALONE, _GO_WITH_VALUE)) for words in whole]
    kept = [words for words in kept if NOT_KNOWN not in " ".join(words)]
    if not kept:
        return None
    words = min(kept, key=lambda words: len(_tags(words)))
    tags = [tag for tag in _tags(words) if not _FOR_MORE.fullmatch(tag)]
    more = [tag for tag in _tags(words) if tag not in tags]
    plain = tuple(word for word in words if not word.startswith("-tags="))
    why = f"tests with the build tag {', '.join(more)}, which want more than a sandbox has" if more else ""
    return (*([f"-tags={','.join(tags)}"] if tags else []), *plain), why


def _is_whole(words: tuple[str, ...]) -> bool:
    """Packages may be the root's alone, as where none is named; those of tests that want more are not all."""
    named = [word for word in words if word.startswith("./") or word.endswith("...")]
    return not _names(words) & _GO_OF_SOME and not any(map(_FOR_MORE.fullmatch, named))


def _tags(words: Iterable[str]) -> list[str]:
    """Commas or, as of old, spaces part them."""
    named = next((word.removeprefix("-tags=") for word in words if word.startswith("-tags=")), "")
    return [tag for tag in re.split(r"[,\s]+", named) if tag]


def _ctest_options(commands: list[tuple[str, ...]]) -> Found:
    whole = [words for words in commands if not _names(words) & _CTEST_OF_SOME]
    kept = [tuple(_chosen(words, frozenset(), _CTEST_WITH_VALUE, joined=False)) for words in whole]
    return None if not kept else ((), "") if () in kept else (kept[0], "")


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
_RULES: dict[str, Rule] = {"rust": _cargo_options, "go": _go_options, "cmake": _ctest_options}
