"""Is a delivery GitHub's? The rule of https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries."""

import hmac
import re
from collections.abc import Sequence

_WRITTEN_BY_GITHUB = re.compile(rb"sha256=([0-9a-f]{64})")


def verify(secrets: Sequence[bytes], body: bytes | bytearray, header_values: Sequence[bytes]) -> bool:
    """Whether `body` was signed with one of `secrets`.

    `header_values` are the values of every `X-Hub-Signature-256` header, as the bytes that came. Exactly one is
    accepted, in exactly the form that GitHub writes: ``sha256=`` and 64 lower-case hex digits. SHA-1, upper case and a
    second header are no signature. All secrets are tried, in time that does not depend on which one matches.
    """
    if len(header_values) != 1:
        return False
    written = _WRITTEN_BY_GITHUB.fullmatch(header_values[0])
    if written is None:
        return False
    digests = [hmac.digest(secret, body, "sha256").hex().encode("ascii") for secret in secrets]
    return any([hmac.compare_digest(digest, written[1]) for digest in digests])  # noqa: C419 - a list tries them all
