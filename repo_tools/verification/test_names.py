"""How the languages name what belongs to tests. Each pattern is of a whole file or folder name.

- *configuration*: decides how tests are found, run and reported;
- *modules*: hold tests; *support*: stands beside them.
"""

import re

from repo_tools.environment.javascript.files import SUFFIXES

_BUILDS = (
    r"(?:GNU)?[Mm]akefile(?:\.(?:am|in|inc|common))?|configure(?:\.(?:ac|in))?|.*\.mk",
    r"CMakeLists\.txt|CMake(?:User)?Presets\.json|.*\.cmake|meson(?:\.build|_options\.txt|\.options)",
)
"""Of programs in C."""
_CONFIGURATION = (
    r"conftest\.py|\.?pytest\.(?:ini|toml)|tox\.(?:ini|toml)|noxfile\.py|\.coveragerc|(?:site|user)customize\.py",
    r".*\.(?:pth|egg-link|py[co])",  # what is compiled would run in the place of what is read
    *_BUILDS,
    r"aclocal\.m4|acinclude\.m4|test-driver|tap-driver\.(?:sh|pl)",  # the latter two start each test of automake's
    r"\.mocharc(?:\.\w+)?|mocha\.opts|\.?(?:jest|vitest|vite|karma|ava|babel)\.(?:[\w-]+\.)?(?:config|setup|workspace)\.\w+",
    r"\.?testem\.\w+|japaFile\.[jt]s|\.aegir\.[cm]?js|(?:playwright|cypress|rstest|poku|web-test-runner)\.config\.\w+",
    r"(?:jest|vitest)\.config\.[\w.-]+|jasmine\.json|\.taprc(?:\.\w+)?|\.labrc\.js|bunfig\.toml|\.swcrc|\.pnp\.[\w.]+",
    r"karma(?:[.-][\w.-]*)?\.(?:[cm]?js|ts|coffee)|\.?angular(?:-cli)?\.json|tsconfig\.spec\.json",
    r"\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|\.babelrc(?:\.\w+)?|jest[.-](?:setup|preset)\.\w+|setup-?[tT]ests?\.[cm]?[jt]sx?",
    r"\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|turbo\.json|nx\.json|lerna\.json",
    r"\.rspec(?:[-.]local)?|spec_helper\.rb|rails_helper\.rb|Rakefile|Gemfile(?:\..*)?|gems\.(?:rb|locked)|\.simplecov",
    r"pom\.xml|[\w.-]+\.gradle(?:\.kts)?|gradle\.properties|junit-platform\.properties|testng\.xml",
    r"org\.(?:junit|testng|spockframework)\..*",  # services that the runner loads, by their interface's name
    r"\.env\.test(?:ing)?(?:\..*)?",  # loaded before the tests, by dotenv's kind
    r"nextest\.toml|go\.work|\.?stestr\.conf|nose2?\.cfg|unittest\.cfg|\.noserc",
)
_NO_TEMPLATE = r"(?!.*(?:\.(?:tt|erb|ejs|hbs|mustache|j2|jinja2?|tmpl|tpl|template)|__tmpl__)$)"
"""What a generator writes a file from (``Gemfile.tt``, ``jest.config.ts__tmpl__``) is product: no runner reads it."""
_MODULES = (
    r"test.*\.py|.*_test\.py",
    r".*[._-](?:test|tests|spec)\.[cm]?[jt]sx?|test[._-].*\.[cm]?[jt]sx?|tests?\.[cm]?[jt]sx?",
    r".*_test\.go",
    r".*_spec\.rb|.*_test\.rb|test_.*\.rb",
    r"(?:Test.*|.*(?:Tests?|TestCase|IT|Spec))\.(?:java|kt|groovy)",
)
_SUPPORT = (
    r"tests?\.py|test_.*\.py|.*[_-]tests?[_-].*\.py|test-?(?:utils?|lib|helpers?|support)\.py",
    r"(?:(?:.*[._-])?(?:unit)?tests?|tests?[_-].*|.*Tests?)\.(?:c|cc|cpp|cxx)",  # none can be run alone
    r".*\.(?:snap|ambr|golden)",  # what is expected: insta's stand in the product's folders
)

_MAYBE_SUPPORT = r"test\.py|test[-_]?(?:utils?|lib|helpers?|support)\.py|.*[_-]tests?[_-].*\.py|tests?\.[cm]?[jt]sx?"
"""Some products ship one: a client for their users' tests, a command or a function called so."""

CONFIGURATION_FILE = re.compile(f"{_NO_TEMPLATE}(?:{'|'.join(_CONFIGURATION)})")
CONFIGURATION_FOLDER = re.compile(
    r"(?:site|user)customize|conftest|.*\.(?i:(?:egg|dist)-info)"  # entry points load plug-ins
    r"|__mocks__|\.cargo|m4|\.bundle|\.yarn"
    r"|\.mvn|buildSrc|build-logic"  # what Maven and Gradle are started with, and build with
)
TEST_MODULE = re.compile("|".join(_MODULES))
TEST_FILE = re.compile("|".join((*_SUPPORT, r".*_test\.py", *_MODULES[1:])))
TEST_FOLDER = re.compile(
    r"tests|__tests__|test[_-]?data|__snapshots__|__fixtures__|testFixtures|tests?[_-]\w+|\w+[_-]tests?"
)
MAYBE_TEST_FOLDER = re.compile(
    r"tests?|testing|specs?|e2e|t|(?:unit|self|regression)[_-]?tests?|testsuite|regress", re.IGNORECASE
)
"""Some products ship one: it holds tests where tests were collected from it, or where nobody tells from which files."""

SOURCE_SET = re.compile(r"[a-z]+Tests?")
"""Of Gradle's (``integrationTest``, ``commonTest``), where tests were collected from it; else product (``hitTest``)."""

ROOT_TEST_FOLDER = re.compile(r"tests?|testing", re.IGNORECASE)
"""At a repository's root none is shipped: what lies there helps tests, wherever these stand."""

MAYBE_TEST_FILE = re.compile(_MAYBE_SUPPORT)
SOURCE_SUFFIXES = (".py", *SUFFIXES, ".rb", ".go", ".rs")
NAMES_WITH_DOCTESTS = (".py", ".rst", ".txt", ".md")
_INLINE_TESTS = re.compile(r"(?!(?:.*/)?tests/).*\.rs")
_BUILD_FILE = re.compile(rf"(?:.*/)?(?:{'|'.join(_BUILDS)})")


_LIKE_TESTS = re.compile(
    r"tests?|testing|test(?:util|help|support|lib|kit|env|case|suite)\w*|fixtures?|snapshots?|golden|expected|mocks?",
    re.IGNORECASE,
)
PROSE = (".md", ".rst", ".adoc")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def sounds_like_tests(path: str) -> bool:
    """Whether a word of a product file's path says that it may help tests, or hold what they expect; of prose none."""
    return not path.endswith(PROSE) and any(map(_LIKE_TESTS.fullmatch, _WORD.findall(path)))


def is_build_file(path: str) -> bool:
    return bool(_BUILD_FILE.fullmatch(path))


def stands_in_product(path: str) -> bool:
    """Whether a file that tests were collected from is product all the same, as with Rust's unit tests."""
    return bool(_INLINE_TESTS.fullmatch(path))


def is_called_so(path: str) -> bool:
    """Whether a file would belong to the tests by its name, or a folder's."""
    *folders, name = path.split("/")
    kinds = (TEST_FOLDER, MAYBE_TEST_FOLDER, SOURCE_SET)
    named = (kind.fullmatch(folder) for folder in folders for kind in kinds)
    return bool(TEST_FILE.fullmatch(name)) or any(named)
