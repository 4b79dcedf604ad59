"""`.github/agent-fix.yml` is read strictly: every problem at once, each with its line, what it is and what to do."""

from collections.abc import Mapping
from decimal import Decimal

import pytest

from agent.budget import BudgetLimits
from repo_tools.environment.contract import Service, SetupCommand, TestCommand
from repo_tools.path_rules import PathRules
from tests.support.files_checkout import FilesCheckout
from workers.configuration.contract import PATH, Allowed, Configuration, ConfigurationError
from workers.configuration.read import MAX_BYTES, MOST_PROBLEMS, read_configuration

ALLOWED = Allowed(BudgetLimits(), "docker", "claude-large", frozenset({"claude-small"}), frozenset({"sandbox-node:22"}))


def read(
    text: str | bytes | None, others: Mapping[str, str] | None = None, allowed: Allowed = ALLOWED
) -> Configuration:
    files = {"web/a.js": "", **({PATH: text} if text is not None else {}), **(others or {})}
    return read_configuration(FilesCheckout(files), allowed)


def problems_of(
    text: str | bytes | None, others: Mapping[str, str] | None = None, allowed: Allowed = ALLOWED
) -> tuple[str, ...]:
    with pytest.raises(ConfigurationError) as refused:
        read(text, others, allowed)
    return refused.value.problems


WHOLE = """\
image: sandbox-node:22
setup:
  - pip install -e .[test]
  - run: npm ci
    directory: web
  - npm run build && npm run link
tests:
  - pytest tests/unit
  - cd web && ./run-tests
services:
  - redis
  - {kind: postgresql, version: "16", port: 5433, name: db, variables: {POSTGRES_DB: app}}
environment:
  DJANGO_SETTINGS_MODULE: app.settings.test
scope: [src/**, tests/**]
protected: [src/vendored/**]
budgets: {turns: 20, usd: 1.5}
model: claude-small
"""


def test_everything_that_can_be_said_is_understood() -> None:
    found = read(WHOLE, {"src/a.py": "", "tests/test_a.py": ""})
    assert found.declared.setup == (
        SetupCommand(("pip", "install", "-e", ".[test]")),
        SetupCommand(("npm", "ci"), directory="web"),
        SetupCommand(("sh", "-c", "set -e\nnpm run build && npm run link")),
    )
    assert found.declared.tests == (
        TestCommand("pytest", ("pytest", "tests/unit")),
        TestCommand("exit_code", ("./run-tests",), "web"),
    )
    assert found.declared.services == (
        Service("redis", source=PATH),
        Service("postgresql", "16", 5433, {"POSTGRES_DB": "app"}, "db", PATH),
    )
    assert found.declared.variables == {"DJANGO_SETTINGS_MODULE": "app.settings.test"}
    assert found.rules == PathRules(("src/**", "tests/**"), ("src/vendored/**",))
    assert found.limits == {"turns": 20, "usd": Decimal("1.5")}
    assert (found.model, found.image) == ("claude-small", "sandbox-node:22")


SCRIPT = """\
{key}:
  - run: |
      cd web
      ./one  # the first
      ./two
"""


@pytest.mark.parametrize("key", ["setup", "tests"])
def test_a_script_ends_with_its_first_command_that_fails_and_is_shown_as_it_is_written(key: str) -> None:
    declared = read(SCRIPT.format(key=key)).declared
    (command,) = declared.setup or declared.tests or ()
    assert command.argv == ("sh", "-c", "set -e\ncd web\n./one  # the first\n./two")
    assert str(command) == "cd web\n./one  # the first\n./two"


def test_each_plain_line_of_a_script_of_tests_is_a_test_command_with_results_of_its_own() -> None:
    found = read("tests:\n- directory: web\n  run: |\n    pytest a \\\n      b\n\n    CI=1 pytest c\n    ./run\n")
    assert found.declared.tests == (
        TestCommand("pytest", ("pytest", "a", "b"), "web"),
        TestCommand("pytest", ("pytest", "c"), "web", (("CI", "1"),)),
        TestCommand("exit_code", ("./run",), "web"),
    )


def test_variables_in_front_of_a_test_command_hide_no_runner() -> None:
    found = read("tests: [cd web && MODE=fast pytest -q]\n")
    assert found.declared.tests == (TestCommand("pytest", ("pytest", "-q"), "web", (("MODE", "fast"),)),)
    assert str(found.declared.tests[0]) == "cd web && MODE=fast pytest -q"


@pytest.mark.parametrize("text", [None, "", "# nothing yet\n", "---\n"])
def test_what_says_nothing_changes_nothing(text: str | None) -> None:
    found = read(text)
    assert found == Configuration()


def test_a_misspelt_key_is_told_with_line_and_suggestion() -> None:
    text = "# ours\nmodel: claude-small\nbugdets:\n  turns: 3\n"
    assert problems_of(text) == ("line 3: unknown key `bugdets`; did you mean `budgets`?",)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("set-up: [a]", "setup"),
        ("test: [a]", "tests"),
        ("env: {}", "environment"),
        ("Model: x", "model"),
        ("setup: [{rnu: a, run: b}]", "run"),
        ("setup: [{cwd: a, run: b}]", "directory"),
        ("budgets: {token: 1}", "tokens"),
        ("budgets: {dollars: 1}", "usd"),
        ("services: [postgres]", "postgresql"),
        ("services: [{kind: redis, verison: '7'}]", "version"),
    ],
)
def test_each_misspelt_word_is_led_to_the_right_one(line: str, meant: str) -> None:
    (problem,) = problems_of(f"\n{line}\n")
    assert problem.startswith("line 2: ")
    assert f"did you mean `{meant}`?" in problem


def test_of_too_many_entries_it_is_told_how_many_there_may_be() -> None:
    (problem,) = problems_of(f"setup: [{', '.join(['make'] * 51)}]\n")
    assert problem == "line 1: `setup` has 51 entries; 50 is the most"


def test_a_word_that_is_like_none_gets_all_that_there_are() -> None:
    (problem,) = problems_of("zzz: 1\n")
    assert "`image`, `setup`, `tests`" in problem


def test_all_problems_are_told_at_once_in_the_order_of_lines() -> None:
    text = (
        "model: other\nbudgets:\n  usd: 99\n  trns: 1\nsetup:\n  - run: 1\n  - {run: x, directory: nowhere}\n"
        "protectd: []\n"
    )
    assert [problem.partition(":")[0] for problem in problems_of(text)] == [
        "line 1",
        "line 3",
        "line 4",
        "line 6",
        "line 7",
        "line 8",
    ]


@pytest.mark.parametrize(("before", "folder"), [("cmake -B build", "build"), ("npm ci", "node_modules/our-web/lib")])
def test_a_folder_that_a_command_before_may_make_may_be_gone_to(before: str, folder: str) -> None:
    found = read(f"setup: [{before}]\ntests: [cd {folder} && ctest]\n")
    assert found.declared.tests
    assert found.declared.tests[0].directory == folder


def test_a_link_to_a_folder_may_be_gone_to() -> None:
    text = "tests: [cd site && make, {run: make, directory: site}]\n"
    checkout = FilesCheckout({PATH: text, "site": "packages/site", "packages/site/Makefile": ""}, frozenset({"site"}))
    tests = read_configuration(checkout, ALLOWED).declared.tests
    assert tests
    assert [test.directory for test in tests] == ["site", "site"]


def test_a_text_of_several_lines_may_hold_a_dash() -> None:
    found = read("setup:\n  - curl $URL | tar -xf -\n    -C lib - last\n")
    assert found.declared.setup == (SetupCommand(("sh", "-c", "set -e\ncurl $URL | tar -xf - -C lib - last")),)


def test_very_many_problems_are_counted() -> None:
    problems = problems_of("".join(f"key{n}: 1\n" for n in range(100)))
    assert len(problems) == MOST_PROBLEMS + 1
    assert problems[-1] == "and 80 more problems"
    assert problems_of("".join(f"key{n}: 1\n" for n in range(MOST_PROBLEMS + 1)))[-1] == "and 1 more problem"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a\n", "line 1: the file must be a mapping"),
        ("just words\n", "line 1: the file must be a mapping"),
        ("a:\n\t- b\n", "line 2: begins with a tab; YAML is indented with spaces"),
        ("model: {\n", "is no YAML (did not find expected node content): a bracket that is opened here"),
        ("tests:\n  - [a\nmodel: b\n", "line 2: is no YAML (did not find expected ',' or ']'): a bracket that"),
        ("model: 'a\n\n\n", "line 1: is no YAML (found unexpected end of stream): a quote that is opened here"),
        ("tests:\n  - @a\n", "line 2: is no YAML (found character that cannot start any token): put quotes"),
        ("scope:\n  - *.py\n", "line 2: is no YAML (did not find expected alphabetic or numeric character): put"),
        ("tests:\n  - 'a' b\n", "line 2: is no YAML (did not find expected '-' indicator): put quotes around all of"),
        ("model: a: b\n", "line 1: is no YAML (mapping values are not allowed in this context): put quotes around"),
        ("tests:\n - a\n  - b\n", "line 2: `a - b` is read as one text: indent each `- ` like the one above it"),
        ("model: a\nmodel: b\n", "line 2: the key `model` is given twice (first in line 1): keep one"),
        ("setup: &all [a]\ntests: *all\n", "line 2: an alias (`*all`) is not read"),
        ("model: !!python/name:os.system ''\n", "line 1: a tag"),
        ("model: a\n---\nmodel: b\n", "line 2: a second document"),
        (b"model: \xff\n", "line 1: is no UTF-8 text: save the file as UTF-8"),
        (b"#\nmodel: \xe4\n", "line 2: is no UTF-8"),
        ("model: a\n".encode("utf-16"), "is no UTF-8"),
        ("#" * 1_000_000, f"it holds 1,000,000 bytes; {MAX_BYTES:,} is the most"),
        ("[" * 5_000, "nested more than"),
        ("model: \x07\n", "character"),
    ],
)
def test_what_is_no_sound_yaml_is_refused(text: str | bytes, words: str) -> None:
    assert any(words in problem for problem in problems_of(text))


def test_a_bomb_of_anchors_is_refused_at_once() -> None:
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 10))
    problems = problems_of("l0: &l0 [x]\n" + levels)
    assert problems[0].startswith("line 1: an anchor (`&l0`) is not read: take it out")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tests: pytest\n", "`tests` must be a list (each entry on a line of its own, after `- `), but is `pytest`"),
        ("tests: []\n", "`tests` is empty"),
        ("tests: ['']\n", "`tests[1].run` is empty"),
        ("tests: [' ']\n", "`tests[1].run` holds no command"),
        ("tests:\n", "`tests` has no value: write one, or take the line out"),
        ("tests: [~]\n", "`tests[1]` has no value"),
        ("tests: [[a]]\n", "`tests[1]` must be a mapping (`name: value`), but is a list"),
        ("tests: [{directory: web}]\n", "`tests[1].run` is missing"),
        ("tests: [{run: a, directory: lib}]\n", "`lib`, but the repository has no such folder"),
        ("tests: [{run: a, directory: ../x}]\n", "is no folder of the repository"),
        ("tests: [{run: a, directory: /web}]\n", "is absolute"),
        ("tests: [{run: a, directory: Web}]\n", "`Web`, but the repository has no such folder; did you mean `web`?"),
        ("tests: [cd nowhere && pytest]\n", "`tests[1].run` goes to `nowhere`, but the repository has no such folder"),
        ("tests: [make, cd wbe && pytest]\n", "`tests[2].run` goes to `wbe`, but the repository has no such folder;"),
        ("setup: [{run: cd lib && make, directory: web}]\n", "goes to `web/lib`, but"),
        ("tests: [\"pytest -k 'a or b\"]\n", "`tests[1].run` opens a quote that is not closed"),
        ("tests: ['pytest \"a']\n", "opens a quote"),
        ("tests: ['pytest a\\']\n", "or ends with `\\`: close it"),
        ("tests: [pytest | tee log]\n", "`tests[1].run` ends as `tee` does, whatever its tests say: leave `tee`"),
        ("tests: ['cd web && pytest || true']\n", "`tests[1].run` ends as `true` does"),
        ("tests: [make, npm test 2>&1 | tail -5]\n", "`tests[2].run` ends as `tail` does"),
        ("setup: ['echo ${{ secrets.X }}']\n", "`setup[1].run` holds `${{ … }}`, which only GitHub's workflows know"),
        ("setup: [export A=1, make]\n", "`setup[1].run` does nothing for the commands after it"),
        ("tests: [cd web]\n", "join them (`cd … && …`)"),
        ("tests: [pytest -k a: b]\n", "`tests[1]` became a mapping by the `: ` in it: put quotes around the whole"),
        ("tests: [5]\n", '`tests[1]` must be text, but is `5`: write it in quotes, "5"'),
        ("model: 5\n", '`model` must be text, but is `5`: write it in quotes, "5"'),
        ("model: true\n", "`model` must be text, but is `true`"),
        ("image: [a]\n", "`image` must be text, but is a list"),
        ("environment: {DEBUG: 1}\n", '`environment.DEBUG` must be text, but is `1`: write it in quotes, "1"'),
        ("environment: {N: 010}\n", '`environment.N` must be text, but is `010`: write it in quotes, "010"'),
        ("environment: {N: 1e3}\n", 'write it in quotes, "1e3"'),
        ("environment: {N: True}\n", 'write it in quotes, "True"'),
        ("environment: {A: '${{ secrets.X }}'}\n", "`environment.A` holds `${{ … }}`, which only GitHub's workflows"),
        ("environment: {PATH: /x}\n", "`environment.PATH` is the sandbox's own: take it out; a command may set it"),
        ("environment: {HOME: /x}\n", "is the sandbox's own"),
        ("environment: {https_proxy: x}\n", "is the sandbox's own"),
        ("environment: {1A: x}\n", "`environment.1A` is no name of a variable"),
        ("environment: [A]\n", "`environment` must be a mapping"),
        ('environment: {A: "\\0"}\n', "NUL"),
        ("services: [{kind: redis, version: 7}]\n", '`services[1].version` must be text, but is `7`'),
        ("services: [{kind: redis, port: 70000}]\n", "`services[1].port` must be at most 65535"),
        ("services: [{kind: redis, name: a.b}]\n", "`services[1].name`"),
        ("services: [redis, {kind: redis, port: 80}]\n", "`services[2].port` must be at least 1024"),
        ("services: [redis, redis]\n", "`services[2]`: Redis (port 6379) and Redis (port 6379) cannot both have"),
        ("services: [{kind: redis, name: db}, {kind: mysql, name: DB}]\n", "two services cannot both be called DB"),
        ("services: [{kind: redis, image: x}]\n", "an image cannot be named here: write `kind` and `version`"),
        ("services: [{kind: mysql, image: 'a/postgres:16-alpine'}]\n", '`kind: postgresql` and `version: "16"`'),
        ("services: ['redis:7']\n", '`services[1].kind` is `redis:7`: write `kind: redis` and `version: "7"`'),
        ("services: [{kind: redis, version: 7.10}]\n", 'write it in quotes, "7.10"'),
        ("services: [{kind: redis, variables: {FOO: x}}]\n", "the variable `FOO`, but redis takes those that begin"),
        ("services: [{kind: redis, variables: {REDIS_A: '${{ x }}'}}]\n", "holds `${{ … }}`"),
        ("services: [{kind: mysql, version: a b}]\n", "`services[1].version`"),
        ("scope: [../a]\n", "is not relative to the repository's root"),
        ("scope: ['!a']\n", "begins with `!`"),
        ("protected: ['src/[']\n", "`protected[1]` has a `[` that is not closed, and matches nothing: close it"),
        ("protected: [1]\n", "`protected[1]` must be text"),
        ("protected: ['**']\n", "`protected` leaves no file that may be changed, so that no run could mend anything"),
        ("scope: [lib/**]\n", "`scope` has no file in it that may be changed, so that no run could mend anything"),
        ("scope: [.github/**]\n", "`scope` has no file in it that may be changed"),
        ("{scope: [web/**], protected: [web/]}\n", "`scope` has no file in it that may be changed"),
        ("setup: [{run: make, directory: ../web}]\n", "holds '..'; write the path as it stands in the list"),
        ("budgets: {turns: -1}\n", "`budgets.turns` must be at least 1, but is `-1`"),
        ("budgets: {turns: 0}\n", "`budgets.turns` must be at least 1"),
        ("budgets: {turns: 2.5}\n", "`budgets.turns` must be a whole number, but is `2.5`"),
        ("budgets: {turns: 1e6}\n", "`budgets.turns` must be a whole number, but is `1e6`"),
        ("budgets: {turns: '3'}\n", "must be a whole number, but is `3`, in quotes: leave them out"),
        ("budgets: {usd: '1.5'}\n", "must be a number, but is `1.5`, in quotes: leave them out"),
        ("budgets: {turns: some}\n", "`budgets.turns` must be a whole number, but is `some`"),
        ("services: [{kind: redis, port: '6380'}]\n", "must be a whole number, but is `6380`, in quotes: leave them"),
        ("budgets: {turns: true}\n", "`budgets.turns` must be a whole number, but is `true`"),
        ("budgets: {usd: -0.5}\n", "`budgets.usd` must be more than 0"),
        ("budgets: {usd: 1e999}\n", "`budgets.usd`"),
        ("budgets: {usd: .nan}\n", "`budgets.usd` must be a number, but is `.nan`"),
        ("budgets: {usd: none}\n", "`budgets.usd` cannot be `none`: budgets here only tighten the operator's"),
        ("budgets: none\n", "`budgets` must be a mapping"),
    ],
)  # fmt: skip
def test_each_wrong_value_is_told_with_what_to_write(text: str, problem: str) -> None:
    (told,) = problems_of(text)
    assert told.startswith("line 1: ")
    assert problem in told


def test_rules_may_leave_one_file_or_have_nothing_to_forbid() -> None:
    assert read("{scope: [web/**, lib/**], protected: [web/b.js]}\n", {"web/b.js": ""}).rules.scope
    assert read_configuration(FilesCheckout({PATH: "scope: [src/**]\n"}), ALLOWED).rules.scope


def test_what_is_no_number_without_quotes_either_is_not_told_of_them() -> None:
    (told,) = problems_of("budgets: {turns: 'some'}\n")
    assert "in quotes" not in told


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("budgets: {usd: 10}\n", "`budgets.usd` is 10, more than the operator's 3: write 3 or less"),
        ("budgets: {turns: 41}\n", "`budgets.turns` is 41, more than the operator's 40: write 40 or less"),
        (
            "budgets: {tokens: 9000000}\n",
            "`budgets.tokens` is 9000000, more than the operator's 2000000: write 2000",
        ),
        ("budgets: {seconds: 1801}\n", "`budgets.seconds` is 1801, more than the operator's 1800"),
        ("model: gpt\n", "`model` is `gpt`, which is not on the operator's list (`claude-large`, `claude-small`)"),
        ("image: x:1\n", "`image` is `x:1`, which is not on the operator's list (`sandbox-node:22`): choose one of it"),
    ],
)
def test_what_the_operator_does_not_allow_is_refused_with_what_is_allowed(text: str, problem: str) -> None:
    (told,) = problems_of(text)
    assert told.startswith(f"line 1: {problem}")


def test_as_much_as_the_operator_allows_may_be_asked_for() -> None:
    assert read("budgets: {turns: 40, usd: 3}\nmodel: claude-large\n").limits == {"turns": 40, "usd": 3}


def test_where_the_operator_has_no_limit_any_is_tighter() -> None:
    unlimited = Allowed(BudgetLimits(turns=None, usd=None), "docker", "m")
    assert read("budgets: {turns: 1000000, usd: 1000}\n", allowed=unlimited).limits["turns"] == 1_000_000


def test_an_image_is_refused_where_the_sandbox_has_none() -> None:
    bubblewrap = Allowed(BudgetLimits(), "bubblewrap", "m", images=frozenset({"sandbox-node:22"}))
    (told,) = problems_of("image: sandbox-node:22\n", allowed=bubblewrap)
    assert "the sandbox here is bubblewrap, which has no images; take the line out" in told


def test_a_secret_is_refused_and_not_repeated() -> None:
    token = "ghs_" + "aB3dE4" * 8
    (told,) = problems_of(f"environment:\n  TOKEN: {token}\n")
    assert told.startswith("line 2: `environment.TOKEN` looks like a secret")
    assert token not in told


@pytest.mark.parametrize("place", ["environment", "services"])
def test_a_secret_that_is_known_by_its_name_is_refused_too(place: str) -> None:
    value = "9f86d081884c7d659a2feaa0c55ad015"
    variables = f"{{POSTGRES_TOKEN: {value}, POSTGRES_PASSWORD: postgres, POSTGRES_SECRET: for-tests}}"
    text = f"environment: {variables}\n"
    if place == "services":
        text = f"services:\n  - kind: postgresql\n    variables: {variables}\n"
    (told,) = problems_of(text)
    assert "has the variable `POSTGRES_TOKEN`, which looks like a secret" in told
    assert value not in told


@pytest.mark.parametrize(
    "name",
    [
        *(".github/agent-fix.yaml", ".github/Agent-Fix.yml", ".github/agent_fix.yml", ".github/agentfix.yaml"),
        *("agent-fix.yml", ".agent-fix.yml", ".github/.agent-fix.yml"),
    ],
)
def test_a_file_under_nearly_our_name_is_not_passed_over(name: str) -> None:
    assert problems_of(None, {name: "model: x\n"}) == (f"`{name}` is not read: call it `{PATH}`",)


def test_a_symbolic_link_is_not_followed() -> None:
    checkout = FilesCheckout({PATH: "../secret.yml", "secret.yml": "model: claude-small\n"}, frozenset({PATH}))
    with pytest.raises(ConfigurationError, match="it is a link, not a file"):
        read_configuration(checkout, ALLOWED)
