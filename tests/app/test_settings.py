"""A bad setting stops the start, and says which one, what is wrong, and what to do; never its value."""

import pytest

from app.settings import WebSettings, check_environment
from repo_tools.errors import ConfigError
from workers.load_settings import load_settings
from workers.settings import StoreSettings, WorkerSettings

GOOD = "0123456789abcdef0123456789abcdef"
NAME = "AGENT_FIX_GITHUB_WEBHOOK_SECRET"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, GOOD)


def problem(monkeypatch: pytest.MonkeyPatch, name: str, value: str | None) -> ConfigError:
    if value is None:
        monkeypatch.delenv(name)
    else:
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as raised:
        load_settings(WebSettings)
    assert raised.value.setting == name
    assert raised.value.problem
    assert raised.value.remedy
    return raised.value


@pytest.mark.parametrize(
    "value", ["", ",", "[]", "short", f"{GOOD},short", f"short,{GOOD}", '["short"]', f'["{GOOD}"', "[1]"]
)
def test_an_empty_or_short_secret_stops_the_start(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    assert problem(monkeypatch, NAME, value).setting == NAME


def test_a_missing_secret_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problem(monkeypatch, NAME, None).problem == "is not set"


def test_the_error_never_holds_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    error = problem(monkeypatch, NAME, "canary-value")
    assert "canary" not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__


@pytest.mark.parametrize(
    ("value", "secrets"),
    [
        (GOOD, [GOOD]),
        (f"{GOOD}, {GOOD[::-1]}", [GOOD, GOOD[::-1]]),
        (f'["{GOOD}"]', [GOOD]),
        (f'["a,{GOOD}", "{GOOD}"]', [f"a,{GOOD}", GOOD]),
    ],
)
def test_one_secret_or_several(monkeypatch: pytest.MonkeyPatch, value: str, secrets: list[str]) -> None:
    monkeypatch.setenv(NAME, value)
    assert load_settings(WebSettings).webhook_secrets == tuple(secret.encode() for secret in secrets)


@pytest.mark.parametrize("value", ["short", "a token with an ümlaut in it"])
def test_a_token_that_is_short_or_fits_in_no_header_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    assert problem(monkeypatch, "AGENT_FIX_API_TOKEN", value).setting == "AGENT_FIX_API_TOKEN"


def test_an_empty_token_is_no_token_which_keeps_strangers_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_FIX_API_TOKEN", "")
    assert load_settings(WebSettings).api_token is None


def test_settings_do_not_print_their_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_FIX_API_TOKEN", GOOD[::-1])
    settings = load_settings(WebSettings)
    assert GOOD not in f"{settings!r} {settings}"
    assert GOOD[::-1] not in f"{settings!r} {settings}"


def test_the_web_process_holds_no_key() -> None:
    assert not {name for name in WebSettings.model_fields if "key" in name or "anthropic" in name}


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("AGENT_FIX_GITHUB_WEBHOK_SECRET", "AGENT_FIX_GITHUB_WEBHOOK_SECRET"),
        ("AGENT_FIX_BUDGET__TURN", "AGENT_FIX_BUDGET__TURNS"),
        ("AGENT_FIX_BUDGET_USD", "AGENT_FIX_BUDGET__USD"),
        ("agent_fix_labels", "AGENT_FIX_LABEL"),
    ],
)
def test_a_misspelt_setting_stops_the_start(misspelt: str, meant: str) -> None:
    """C01."""
    with pytest.raises(ConfigError, match=f"Did you mean {meant}") as raised:
        check_environment({NAME: GOOD, misspelt: "canary-value"})
    assert "canary" not in str(raised.value)


def test_an_unknown_setting_stops_the_start() -> None:
    with pytest.raises(ConfigError, match=r"README\.md"):
        check_environment({"AGENT_FIX_QQQQ": "1"})


def test_the_settings_of_every_process_and_other_variables_pass() -> None:
    names = (
        "LABEL",
        "MODEL",
        "BUDGET__USD",
        "PRICE__CACHE_READ",
        "GITHUB_PRIVATE_KEY_FILE",
        "API_TOKEN",
        "ALLOWED_BOTS",
    )
    check_environment({f"AGENT_FIX_{name}": "1" for name in names} | {"PATH": "/bin", "AGENTFIX": "1"})


@pytest.mark.parametrize("label", ["👩\u200d💻 fix", "می\u200cشود", "❤️ fix"])
def test_labels_with_composed_emoji_and_in_other_scripts_are_labels(label: str) -> None:
    assert StoreSettings(label=label).label == label


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("AGENT_FIX_BUDGET__TURNS", "model calls"),
        ("AGENT_FIX_PRICE__INPUT", "dollars for a million tokens that bypass"),
    ],
)
def test_a_bad_value_in_a_group_of_settings_is_told_with_its_own_meaning(
    monkeypatch: pytest.MonkeyPatch, name: str, meaning: str
) -> None:
    monkeypatch.setenv(name, "canary")
    with pytest.raises(ConfigError, match=name) as raised:
        load_settings(WorkerSettings)
    assert raised.value.remedy.startswith(f"Expected: {meaning}")
