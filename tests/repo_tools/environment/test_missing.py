"""What real set-ups said when they failed, read for what they lacked. The outputs were captured in a sandbox."""

from pathlib import Path

import pytest

from repo_tools.environment.missing import MOST, NOT_BUILT, missing, with_reason

OUTPUTS = Path(__file__).parent / "set_up_outputs"


def captured(name: str) -> str:
    return (OUTPUTS / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pg_config", "the program pg_config (in Debian's libpq-dev)"),
        ("mysqlclient", "the program pkg-config (in Debian's pkg-config)"),
        ("lxml", "the system libraries libxml2 and libxslt"),
        ("cairo", "the program pkg-config (in Debian's pkg-config)"),
        ("ldap_header", "the header lber.h (in Debian's libldap-dev)"),
        ("gpp", "the program g++ (in Debian's g++)"),
        ("rust", "a Rust toolchain"),
        ("no_space", "room on the sandbox's volumes (3 GiB for all that is installed)"),
        ("no_version", "six==99999 on the package index, for this Python and platform"),
        ("no_package", "surely-not-a-package-of-anybody-0x1 on the package index, for this Python and platform"),
        ("different_python", "numpy==1.8.0 on the package index, for this Python and platform"),
        ("requires_python", "Python >=3.13 for newer (the sandbox has 3.11.2)"),
        ("not_found_sh", "the program cmake (in Debian's cmake)"),
        ("not_found_bash", "the program make (in Debian's make)"),
        ("protoc", "the program protoc"),
        ("no_network", "a network that answers"),
        ("npm_engine", "node >=99 (the sandbox has 20.20.2)"),
        ("yarn_engine", "node >=99 for x@1.0.0 (the sandbox has 20.20.2)"),
        ("gone_name", "an older Python: this one's collections has no MutableMapping any more"),
        ("pnpm_engine", "Node >=99 (the sandbox has 20.20.2)"),
    ],
)
def test_what_a_set_up_lacked_is_named_once(name: str, expected: str) -> None:
    assert missing(captured(name)) == (expected,)


def test_a_host_that_was_refused_is_not_the_networks_fault() -> None:
    """The refusal itself is told by the proxy."""
    assert missing(captured("refused")) == ()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "src/x.c:1:10: fatal error: 'openssl/ssl.h' file not found",
            "the header openssl/ssl.h (in Debian's libssl-dev)",
        ),
        ("/bin/sh: line 3: protoc: command not found", "the program protoc"),
        ("error: command 'gcc' failed: No such file or directory", "the program gcc (in Debian's gcc)"),
        ("npm error Error: spawn cmake ENOENT", "the program cmake (in Debian's cmake)"),
        ("No package 'cairo' found", "the system library cairo"),
        ("npm error notarget No matching version found for lru-cache@^999.0.0.", "lru-cache@^999.0.0 in the registry"),
        (
            " ERR_PNPM_NO_MATCHING_VERSION  No matching version found for @a/b@next while fetching it from https://x/",
            "@a/b@next in the registry",
        ),
        (
            "npm error 404  The requested resource 'x-0@^1.0.0' could not be found or you do not have permission",
            "x-0@^1.0.0 in the registry",
        ),
        ("\u27a4 YN0082: \u2502 lru-cache@npm:^999.0.0: No candidates found", "lru-cache@^999.0.0 in the registry"),
        ("error: lru-cache@^999.0.0 failed to resolve", "lru-cache@^999.0.0 in the registry"),
        (
            'error Couldn\'t find any versions for "lru-cache" that matches "^999.0.0"',
            "lru-cache@^999.0.0 in the registry",
        ),
        ("Package 'libffi', required by 'virtual:world', not found", "the system library libffi"),
        ('../meson.build:3:0: ERROR: Dependency "openblas" not found, tried pkgconfig', "the system library openblas"),
        ("/usr/bin/ld: cannot find -lpq: No such file or directory", "the system library pq"),
        ("CMake Error: Could NOT find ZLIB (missing: ZLIB_LIBRARY)", "the system library ZLIB"),
        (
            '  Could not find a package configuration file provided by\n  "GTest" with any of the following names:',
            "the CMake package GTest (in Debian's libgtest-dev)",
        ),
        ("meson.build:3:0: ERROR: Program 'gperf' not found or not executable", "the program gperf"),
        ('configure: error: "libevent not found"\n', "what configure looks for (libevent not found)"),
        (
            "checking for libevent... configure: error: libevent is required.  You can get it from https://x.y/",
            "what configure looks for (libevent is required.  You can get it from https://x.y/)",
        ),
        (
            "configure: error: compiler cannot create executables",
            "what configure looks for (compiler cannot create executables)",
        ),
        (
            "go: go.mod requires go >= 1.24 (running go 1.19.8; GOTOOLCHAIN=local)",
            "Go >= 1.24 (the sandbox has 1.19.8)",
        ),
        (
            "> SDK location not found. Define a valid SDK location with an ANDROID_HOME environment variable or by "
            "setting the sdk.dir path in your project's local properties file at '/src/local.properties'.",
            "the Android SDK (ANDROID_HOME)",
        ),
        ('Net::HTTPFatalError: 502 "Bad Gateway"', "a network that answers"),
        ("> Failed to find target with hash string 'android-31' in: /opt/sdk", "the Android SDK (ANDROID_HOME)"),
    ],
)
def test_other_tools_words_are_known_too(line: str, expected: str) -> None:
    assert missing(f"before\n{line}\nafter") == (expected,)


def test_a_projects_own_failure_lacks_nothing() -> None:
    own = "Traceback (most recent call last):\n  File 'setup.py', line 3\nKeyError: 'version'\n[exit code 1]"
    assert missing(own) == ()
    assert missing("FileNotFoundError: [Errno 2] No such file or directory: 'data/table.json'") == ()


def test_what_a_configuration_goes_on_without_is_not_what_lacks() -> None:
    said = "-- Could NOT find Doxygen (missing: DOXYGEN_EXECUTABLE)\nCMake Error at CMakeLists.txt:3 (message):\n  No."
    assert missing(said) == ()


def test_not_more_than_a_few_are_told() -> None:
    assert len(missing("".join(f"sh: 1: tool{n}: not found\n" for n in range(50)))) == MOST


@pytest.mark.parametrize(
    "piece", ["\n", " ", "'", "Required: ", "ERR_PNPM_UNSUPPORTED_ENGINE", "Error: a", "sh: ", "\t\n"]
)
def test_hostile_output_does_not_take_long(piece: str) -> None:
    assert len(missing(piece * (200_000 // len(piece)))) <= MOST


def test_what_a_try_of_an_earlier_day_did_not_find_is_not_what_lacks() -> None:
    tried = (
        "npm error notarget No matching version found for typescript@next with a date before 5/15/2026, 12:00:00 AM."
    )
    assert missing(tried) == ()


@pytest.mark.parametrize(
    "output",
    [
        "c++: fatal error: Killed signal terminated program cc1plus\n",
        "  Call to `setuptools.build_meta.build_editable` failed (signal: 9 (SIGKILL))\n",
        "\u2502 exit code: -9\n",
        "$ cargo build\n[exit code 137, 9.1 s]\n",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n",
    ],
)
def test_what_was_killed_lacked_memory(output: str) -> None:
    assert missing(output) == ("memory (a sandbox has 4 GiB)",)


def test_who_goes_on_without_a_build_is_told_what_it_lacked() -> None:
    note, log = f"{NOT_BUILT}: it is tested as it lies", captured("gpp")
    assert with_reason(note, log) == f"{note}; set-up lacked the program g++ (in Debian's g++)"
    assert with_reason(note, "") == note
    assert with_reason("packages as of 2021-01-01", log) == "packages as of 2021-01-01"
