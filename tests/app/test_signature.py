"""Only what GitHub signed with one of our secrets passes."""

import hashlib
import hmac

import pytest

from app.signature import verify

SECRET, OTHER = b"It's a Secret to Everybody", b"another secret of this App"
BODY = b"Hello, World!"
DOCUMENTED = b"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def signed(body: bytes = BODY, secret: bytes = SECRET) -> bytes:
    return b"sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest().encode()


def test_the_example_of_githubs_documentation_verifies() -> None:
    assert verify([SECRET], BODY, [DOCUMENTED])


def test_a_missing_signature_is_refused() -> None:
    """W01."""
    assert not verify([SECRET], BODY, [])


@pytest.mark.parametrize("position", range(0, len(BODY), 4))
def test_a_flipped_bit_anywhere_is_refused(position: int) -> None:
    """W02."""
    flipped = bytearray(BODY)
    flipped[position] ^= 1
    assert not verify([SECRET], flipped, [signed()])


def test_sha1_is_refused_in_either_form() -> None:
    """W03."""
    digest = hmac.new(SECRET, BODY, hashlib.sha1).hexdigest().encode()
    assert not verify([SECRET], BODY, [b"sha1=" + digest])
    assert not verify([SECRET], BODY, [b"sha256=" + digest])


@pytest.mark.parametrize(
    "header",
    [
        signed().upper(),
        b"sha256=" + signed()[7:].upper(),
        signed() + b" ",
        b" " + signed(),
        signed() + b"\n",
        signed()[7:],
        signed()[:-1],
        signed() + b"0",
        b"sha256=",
        b"",
        b"sha256=" + b"\xff" * 64,
        b"sha256=" + "é".encode() * 32,
        signed() + b", " + signed(),
        b"\0" * 100,
    ],
)
def test_only_the_form_that_github_writes_is_a_signature(header: bytes) -> None:
    """W05."""
    assert not verify([SECRET], BODY, [header])


def test_two_signatures_are_none_even_if_both_are_right() -> None:
    """W05."""
    assert not verify([SECRET], BODY, [signed(), signed()])
    assert not verify([SECRET], BODY, [b"sha256=" + b"0" * 64, signed()])


def test_old_and_new_secret_count_while_both_are_configured() -> None:
    for secret in (SECRET, OTHER):
        assert verify([SECRET, OTHER], BODY, [signed(secret=secret)])
    assert not verify([OTHER], BODY, [signed(secret=SECRET)])


def test_no_secret_accepts_nothing() -> None:
    assert not verify([], BODY, [signed(secret=b"")])
