"""Set-up's way through the proxy, and whose certificates it believes, for the programs that do not read the usual
variables. Java's read neither ``http_proxy`` nor a bundle of certificates, and Maven does not read Java's properties.

https://docs.oracle.com/en/java/javase/21/core/java-networking.html, https://maven.apache.org/guides/mini/guide-proxies.html
"""

import hashlib
import re
import ssl
import struct
from collections.abc import Iterator, Mapping

from repo_tools.sandbox.box import relay
from repo_tools.sandbox.contract import ENVIRONMENT, Sandbox

CA_BUNDLE = f"{ENVIRONMENT}/ca.pem"
CA_VARIABLES = (
    "SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
    "CURL_CA_BUNDLE", "CARGO_HTTP_CAINFO", "GIT_SSL_CAINFO",
)  # fmt: skip
JAVA_VARIABLE = "JAVA_TOOL_OPTIONS"
"""Read by each Java machine, whoever starts it."""
_TRUST_STORE = f"{ENVIRONMENT}/ca.jks"
_HOST, _PORT = relay.ADDRESS
_PROPERTIES = (
    *(f"-D{scheme}.proxyHost={_HOST}" for scheme in ("http", "https")),
    *(f"-D{scheme}.proxyPort={_PORT}" for scheme in ("http", "https")),
    "-Daether.connector.http.useSystemProperties=true",  # Maven 3.9, where a repository brings settings of its own
)
_MAVEN_SETTINGS = (
    "<settings><proxies>"
    + "".join(
        f"<proxy><id>{scheme}</id><active>true</active><protocol>{scheme}</protocol>"
        f"<host>{_HOST}</host><port>{_PORT}</port></proxy>"
        for scheme in ("http", "https")
    )
    + "</proxies></settings>\n"
)
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----\s[^-]+-----END CERTIFICATE-----")


def open_ways_out(box: Sandbox, home: str, ca_bundle: bytes | None) -> dict[str, str]:
    """Write what these programs read into `home` and the environment; the variables that lead them there."""
    box.write(f"{home}/.m2/settings.xml", _MAVEN_SETTINGS.encode())
    properties = (f"-Duser.home={home}", *_PROPERTIES)  # else Java asks the list of users
    if not ca_bundle:
        return {JAVA_VARIABLE: " ".join(properties)}
    box.write(CA_BUNDLE, ca_bundle)
    box.write(_TRUST_STORE, trust_store(ca_bundle))
    trusting = (f"-Djavax.net.ssl.trustStore={_TRUST_STORE}", "-Djavax.net.ssl.trustStoreType=jks")
    return {**dict.fromkeys(CA_VARIABLES, CA_BUNDLE), JAVA_VARIABLE: " ".join((*properties, *trusting))}


def with_variables(ours: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    """Both: the way out is ours; where a repository has options for Java too, Java reads all of them."""
    options = " ".join(filter(None, (ours.get(JAVA_VARIABLE), theirs.get(JAVA_VARIABLE))))
    return {**theirs, **ours, **({JAVA_VARIABLE: options} if options else {})}


FILES = (CA_BUNDLE, _TRUST_STORE)
"""What no layer keeps, besides the home folder."""


def trust_store(ca_bundle: bytes) -> bytes:
    """Every certificate of a PEM bundle, as a key store of Java's own format (which needs no password to be read). By
    hand, because the JDK's keytool is in the box alone, if at all, and takes one certificate at a time."""
    entries = [
        struct.pack(">I", 2) + _text(f"ca{number}") + bytes(8) + _text("X.509") + struct.pack(">I", len(der)) + der
        for number, der in enumerate(_certificates(ca_bundle))
    ]
    body = struct.pack(">III", 0xFEEDFEED, 2, len(entries)) + b"".join(entries)
    mark = "changeit".encode("utf-16-be") + b"Mighty Aphrodite" + body
    return body + hashlib.sha1(mark, usedforsecurity=False).digest()


def _certificates(ca_bundle: bytes) -> Iterator[bytes]:
    for block in dict.fromkeys(_CERTIFICATE.findall(ca_bundle.decode("ascii", "replace"))):
        yield ssl.PEM_cert_to_DER_cert(block)


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode("ascii")
