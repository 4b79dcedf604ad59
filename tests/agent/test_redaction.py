"""Secrets and what only looks like one."""

import time

import pytest

from agent.redaction import redact, redact_json

TAIL = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
JWT = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NTYifQ.c2lnbmF0dXJlLXdpdGgtZGFzaA_x-Y"
LONG_INSTALLATION_TOKEN = "ghs_1234567_" + JWT + ("Ab3-_." * 80)
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7x\nq2f3+/==\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "secret",
    [
        f"ghp_{TAIL}", f"gho_{TAIL}", f"ghu_{TAIL}", f"ghr_{TAIL}", f"ghs_{TAIL}", LONG_INSTALLATION_TOKEN,
        f"github_pat_11ABCDEFG0{TAIL}_{TAIL}", f"sk-ant-api03-{TAIL}-_{TAIL}AA", f"sk-proj-{TAIL}",
        "AKIAIOSFODNN7EXAMPLE", f"xoxb-1234567890-{TAIL}", f"xapp-1-{TAIL}", JWT, PEM,
        PEM.replace("\n", "\\n"), PEM.replace("\n", "\r\n"), PEM.replace("RSA ", "OPENSSH "),
    ],
    ids=lambda secret: secret[:14],
)  # fmt: skip
@pytest.mark.parametrize(
    "around", ["{}", "x={}", "before {} after", "'{}',", "https://x-access-token:{}@github.com/a/b", "%0A{}"]
)
def test_a_secret_goes_and_leaves_no_tail(secret: str, around: str) -> None:
    """K01."""
    shown = redact(around.format(secret))
    assert "[redacted: " in shown
    pieces = [secret[at : at + 12] for at in range(4, len(secret) - 12, 4)]
    assert [piece for piece in pieces if piece.strip("-") and piece in shown] == []
    assert shown.startswith(around.split("{}", maxsplit=1)[0].rsplit(":", 1)[0][:8])


@pytest.mark.parametrize(
    "unseen", ["\u200b", "\u00ad", "\u202e", "\ufe0f", "\U000e0101", "\x00", "\r", "\x1b[0m", "\x1b]0;title\x07"]
)
def test_what_cannot_be_seen_does_not_save_a_secret(unseen: str) -> None:
    for at in (2, 4, 15, 30):
        split = f"the token is ghp_{TAIL}"
        split = f"{unseen}{split[: 13 + at]}{unseen}{split[13 + at :]} here{unseen}"
        assert redact(split) == "the token is [redacted: github token] here"
        assert redact_json({"a": [split]}) == {"a": ["the token is [redacted: github token] here"]}


@pytest.mark.parametrize("text", ["zero\u200bwidth", "\x1b[31mred\x1b[0m", "a\r\nb", "क्\u200dष", "❤\ufe0f", "a\rb"])
def test_without_a_secret_even_what_cannot_be_seen_stays(text: str) -> None:
    assert redact(text) == text


def test_line_ends_stay_where_a_secret_goes() -> None:
    assert redact(f"a\r\nghp_{TAIL}\r\nb") == "a\r\n[redacted: github token]\r\nb"


@pytest.mark.parametrize(
    ("text", "hidden", "kept"),
    [
        ("Authorization: Bearer abc.def-123", "abc.def-123", "Authorization: "),
        ("authorization: token abcdefgh", "abcdefgh", "authorization: "),
        ("'Authorization': 'Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz", "'Authorization': '"),
        ("X-Api-Key: 0123456789", "0123456789", "X-Api-Key: "),
        ("postgresql://app:s3cr3t!pw@db/x", "s3cr3t!pw", "postgresql://app:"),
        ("DB_PASSWORD=q8Zr!4mW#x9Lk2", "q8Zr!4mW#x9Lk2", "DB_PASSWORD="),
        ('"client_secret": "q8Zr4mWx9Lk2Tz7y"', "q8Zr4mWx9Lk2Tz7y", '"client_secret": "'),
        ("AWS_SECRET_ACCESS_KEY=" + "aBcDeFgHiJ" * 4, "aBcDeFgHiJ" * 4, "AWS_SECRET_ACCESS_KEY="),
    ],
)
def test_a_secret_is_known_by_what_stands_before_it(text: str, hidden: str, kept: str) -> None:
    shown = redact(text)
    assert hidden not in shown
    assert shown.startswith(kept + "[redacted: ")


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password_from_keyring()",
        "token: str | None = None",
        "self.token = parser.current_token_value",
        "password=hunter2",
        'api_key=os.environ["API_KEY"]',
        "laughs_and_high_hopes_are_not_tokens",
        "weighs_something_in_kilograms",
        "authorization(request)",
        '"AWS::Config::AggregationAuthorization": "af318b77aaceeeaa"',
        'authorization = request.headers.get("Authorization")',
        "the 'authorization: basic ...' header",
        '{"Proxy-Authorization": "Basic <username>:<password>"}',
        'token = base64.b64encode(f"{user}:{pwd}".encode())',
        "private_key: Ed25519PrivateKey | None",
        'START = b"-----BEGIN OPENSSH PRIVATE KEY-----"\nEND = b"-----END OPENSSH PRIVATE KEY-----"',
        "redis://user:password@localhost:6379/0",
        "f'{self.scheme}://{self.username}:{self.password}@{self.host}'",
        "redis://[[username]:[password]]@localhost:6379/0",
        "commit 4783ba2f0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f",
        "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----",
        "http://localhost:8080/path@x",
        "def test_basic_authentication_of_users_works():",
    ],
)
def test_ordinary_code_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_a_private_key_whose_end_was_cut_off_goes_too() -> None:
    assert redact("x\n" + PEM[:60] + " [cut]") == "x\n[redacted: private key][cut]"


SECRETS = (f"Authorization: Bearer {TAIL}", f"ghp_{TAIL}", PEM, f"DB_PASSWORD={TAIL}", f"a://b:{TAIL}@c")


@pytest.mark.parametrize("text", SECRETS)
def test_redacting_again_changes_nothing(text: str) -> None:
    assert redact(redact(text)) == redact(text) != text


def test_every_string_of_a_json_value_is_redacted() -> None:
    value = {"a": [f"ghp_{TAIL}", 1, None, True], f"ghp_{TAIL}": {"b": (f"ghp_{TAIL}",)}}
    assert TAIL not in repr(redact_json(value))
    assert redact_json({"n": 1.5, "t": ("x",)}) == {"n": 1.5, "t": ["x"]}


HOSTILE = {
    "github": "ghs_", "jwt": "eyJ", "jwt with dots": "eyJaaaaaaaa.", "pem": "-----BEGIN PRIVATE KEY-----",
    "pem without end": "-----BEGIN RSA PRIVATE KEY-----\n", "authorization": "authorization: ", "password": "password=",
    "token": "token", "url": "://a:", "url long": "://" + "a" * 99 + ":", "bearer": "bearer ", "a": "a",
    "spaces": "password" + " " * 50, "unseen": "\u200bgh\x1b[0ms_", "unseen long": "\x1b]",
}  # fmt: skip


@pytest.mark.parametrize("seed", HOSTILE.values(), ids=HOSTILE)
def test_time_is_linear_whatever_the_text(seed: str) -> None:
    def seconds(size: int) -> float:
        text = seed * (size // len(seed))
        started = time.process_time()
        redact(text)
        return time.process_time() - started

    assert seconds(1_000_000) < 3.0
