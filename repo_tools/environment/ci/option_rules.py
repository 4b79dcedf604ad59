"""What of a test command's own words, in a workflow, holds for all tests of a language: by one rule each for cargo, Go,
Maven and CTest. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from posixpath import basename

from repo_tools.environment.ci.script_words import NOT_KNOWN
from repo_tools.environment.go import GO_TEST

_OTHER_LIBRARY = "build-std"
_OF_ONE_PART = frozenset(
    (
        *("-p", "--package", "--manifest-path", "--target", "--ignored", "--doc", _OTHER_LIBRARY),
        *("--test", "--tests", "--lib", "--bin", "--bins", "--example", "--examples", "--bench", "--benches"),
    )
)
_TAKES_NO_VALUE = re.compile(
    r"-[qrv]+|--(?:workspace|all|all-targets|release|verbose|quiet|locked|frozen|offline|all-features"
    r"|no-default-features|no-fail-fast|keep-going|lcov|html|json|no-report|ignore-rust-version)|--[\w-]+=.*"
)
"""A word behind one of cargo's options that is no such may be its value; behind these it is part of a test's name."""
_NO_FEATURES = "--no-default-features"
_FEATURES_ALONE = frozenset(("--all-features", _NO_FEATURES))
_FEATURES = ("--features", "-F")
EXCLUDED = "--exclude"
"""Of a workspace: one of its members."""
_CARGO_TESTS = (("cargo", "test"), ("cargo", "llvm-cov"), ("cargo", "tarpaulin"))
_UNDER_COVERAGE = (("nextest", "run"), ("nextest", "r"), ("nextest",), ("test",))
_WITHOUT_TESTS = frozenset(("clean", "report", "show-env"))
"""Of llvm-cov."""
_GO_ALONE = frozenset(("-short",))
_GO_WITH_VALUE = frozenset(("-tags", "-p", "-parallel", "-vet", "-ldflags", "-gcflags", "-skip"))
_GO_OF_SOME = frozenset(("-run", "-bench", "-fuzz", "-list", "-c", "-exec"))
_FOR_MORE = re.compile(r".*(?:integration|e2e|end_?to_?end|acceptance|system|functional|smoke|docker|live).*", re.I)
"""Tags of tests that want what a box has not: a network, servers, another machine."""
_MAVEN = frozenset(("mvn", "mvnw"))
_MAVEN_LONG = re.compile(r"(?:--activate-profiles|--define|--projects|--file)(?:=.*)?")
_MAVEN_OF_SOME = re.compile(
    r"-(?:pl[^!-]|f(?!(?:\./)?pom\.xml$)(?!ae$|n$|f$)|D(?:it\.)?test=|D(?:excluded)?[gG]roups=|rf).*"
)
_MAVEN_SKIPPED = re.compile(
    r"-D(?!.*(?:test|surefire|failsafe|ut)s?\b|(?:.*[.-])?its?\b)[\w.-]+\.skip(?:=true)?", re.IGNORECASE
)
"""Plug-ins that a job does without (``-Dlicense.skip``). What else it sets is of its machine, or for fewer tests."""
_MAVEN_REPORTS = re.compile(
    r".*(?:release|deploy|publish|sign|gpg|sonar|coverage|jacoco|coveralls|javadoc|site"
    r"|quick|fast|skip|no-?tests?|native|graal).*",
    re.IGNORECASE,
)
"""Profiles that no test is changed by, that leave tests out, or want another compiler."""
_CTEST_WITH_VALUE = frozenset(("-LE", "--label-exclude", "-E", "--exclude-regex"))
_CTEST_OF_SOME = frozenset(("-L", "--label-regex", "-R", "--tests-regex", "-I", "-T"))

Found = tuple[tuple[str, ...], str] | None
"""Options, and what they leave out of the tests, for a person; None where no command is for all of the tests."""
Program = Callable[[tuple[str, ...]], tuple[str, ...] | None]
"""The words behind the program of a command that tests; None where it is another one."""
Rule = Callable[[list[tuple[str, ...]]], Found]
"""Of all such words of a job."""


def _of_cargo(words: tuple[str, ...]) -> tuple[str, ...] | None:
    if any(word.startswith("+nightly") for word in words[:2]):
        return None  # what is switched on for it, a release may not compile
    words = tuple(word for word in words if not word.startswith("+"))
    if words[:2] in _CARGO_TESTS:
        rest = words[2:]
        if words[1] == "llvm-cov":  # https://github.com/taiki-e/cargo-llvm-cov#usage
            rest = next((rest[len(own) :] for own in _UNDER_COVERAGE if rest[: len(own)] == own), rest)
        return None if rest[:1] and rest[0] in _WITHOUT_TESTS else rest
    return words[3:] if words[:2] == ("cargo", "nextest") and words[2:3] in (("run",), ("r",)) else None


def _cargo_options(commands: list[tuple[str, ...]]) -> Found:
    """Of several the one that leaves out the fewest members, and with features rather than with none."""
    whole = [_before_dashes(words) for words in commands if not _tests_a_part(words)]
    if not whole:
        return None
    kept = [_features(words) for words in whole]
    left_out = min((tuple(_chosen(words, frozenset(), frozenset((EXCLUDED,)))) for words in whole), key=len)
    features = () if () in kept else next((words for words in kept if words != (_NO_FEATURES,)), kept[0])
    return (*features, *left_out), ""


def _tests_a_part(words: tuple[str, ...]) -> bool:
    """By an option of cargo's or of the tests' own programs, or by the name of a test."""
    own = _at_root(_before_dashes(words))
    by_name = (_TAKES_NO_VALUE.fullmatch(before) for before, word in pairwise(("-v", *own)) if word[0] != "-")
    return bool((_names(own) | {"--ignored"}.intersection(words)) & _OF_ONE_PART) or any(by_name)


def _at_root(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without a manifest, and a machine, that are named and would be taken anyway."""
    text = re.sub(r"--(manifest-path|target)=", r"--\1 ", " ".join(words))
    return tuple(
        re.sub(r"--(?:manifest-path (?:\./)?Cargo\.toml|target x86_64-unknown-linux-gnu)(?= |$)", "", text).split()
    )


def _features(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_chosen(words, _FEATURES_ALONE, frozenset(_FEATURES)))


def _before_dashes(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[: words.index("--")] if "--" in words else words


def _of_go(words: tuple[str, ...]) -> tuple[str, ...] | None:
    if words[:1] == ("gotestsum",):
        return words[words.index("--") + 1 :] if "--" in words else None
    return words[2:] if words[:2] == GO_TEST else None


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


def _one_dash(words: tuple[str, ...]) -> tuple[str, ...]:
    """Go takes two as well."""
    return tuple(word[1:] if word.startswith("--") and len(word) > 2 else word for word in words)


def _of_maven(words: tuple[str, ...]) -> tuple[str, ...] | None:
    return words[1:] if words and basename(words[0]) in _MAVEN else None


def _maven_options(commands: list[tuple[str, ...]]) -> Found:
    """Profiles, and plug-ins that are skipped: of several commands those of the one that sets the least."""
    joined = [tuple(_joined(words)) for words in commands]
    whole = [words for words in joined if not any(map(_MAVEN_OF_SOME.fullmatch, words))]
    if not whole:
        return None
    words = min(
        ([word for word in words if word[:2] in ("-P", "-D") and NOT_KNOWN not in word] for words in whole), key=len
    )
    profiles, more = _maven_profiles(words)
    why = f"tests of the profile {', '.join(more)}, which want more than a sandbox has" if more else ""
    return (*profiles, *filter(_MAVEN_SKIPPED.fullmatch, words)), why


def _maven_profiles(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """(those to switch on or off, as one option; those that want more than a sandbox has)."""
    named = [name for word in words if word[:2] == "-P" for name in word[2:].split(",") if name]
    profiles = [name for name in named if not _MAVEN_REPORTS.fullmatch(name)]
    more = [name for name in profiles if _FOR_MORE.fullmatch(name) and name[0] not in "!-"]
    kept = [name for name in profiles if name not in more]
    return [f"-P{','.join(kept)}"] if kept else [], more


def _joined(words: tuple[str, ...]) -> Iterator[str]:
    """Each option with its value in one word, by its short name: https://maven.apache.org/ref/current/maven-embedder/cli.html"""
    short = {"--activate-profiles": "-P", "--define": "-D", "--projects": "-pl", "--file": "-f"}
    taken = False
    for word, after in pairwise((*words, "")):
        name, separator, value = word.partition("=")
        if taken:
            taken = False
        elif _MAVEN_LONG.fullmatch(word) or word in short.values():
            taken = not (separator and name in short)
            yield short.get(name, word) + (after if taken else value)
        else:
            yield word


def _of_ctest(words: tuple[str, ...]) -> tuple[str, ...] | None:
    return words[1:] if words[:1] == ("ctest",) else None


def _ctest_options(commands: list[tuple[str, ...]]) -> Found:
    whole = [words for words in commands if not _names(words) & _CTEST_OF_SOME]
    kept = [tuple(_chosen(words, frozenset(), _CTEST_WITH_VALUE, joined=False)) for words in whole]
    return None if not kept else ((), "") if () in kept else (kept[0], "")


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


PROGRAMS: Mapping[str, Program] = {"rust": _of_cargo, "go": _of_go, "maven": _of_maven, "cmake": _of_ctest}
RULES: Mapping[str, Rule] = {
    "rust": _cargo_options,
    "go": _go_options,
    "maven": _maven_options,
    "cmake": _ctest_options,
}
