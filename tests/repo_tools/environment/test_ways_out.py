"""Programs that read no ``http_proxy``, and no bundle of certificates, are led through set-up's proxy all the same."""

import hashlib
import ssl
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from repo_tools.environment.contract import Environment, SetupCommand, TestCommand
from repo_tools.environment.prepare import prepare
from repo_tools.environment.ways_out import CA_VARIABLES, FILES, JAVA_VARIABLE, trust_store, with_variables
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.session import PROXY
from tests.support.certificates import make_certificate

Repository = Callable[[Mapping[str, str]], GitCheckout]


@pytest.fixture
def bundle(tmp_path: Path) -> bytes:
    """Two certificates, one of them twice, with the remarks that bundles have."""
    first, second = (make_certificate(tmp_path)[1].read_bytes() for _ in range(2))
    return b"# Issuer: a\n" + first + b"\n# Issuer: b\n" + second + first


def stored(store: bytes) -> list[tuple[str, bytes]]:
    """What Java reads from a store of its own format (`sun.security.provider.JavaKeyStore`)."""
    magic, version, count = struct.unpack_from(">III", store)
    assert (magic, version) == (0xFEEDFEED, 2)
    found, at = [], 12
    for _ in range(count):
        (kind,) = struct.unpack_from(">I", store, at)
        assert kind == 2, "a trusted certificate"
        name, at = text(store, at + 4)
        how, at = text(store, at + 8)
        assert how == "X.509"
        (size,) = struct.unpack_from(">I", store, at)
        found.append((name, store[at + 4 : at + 4 + size]))
        at += 4 + size
    assert len(store) == at + hashlib.sha1(usedforsecurity=False).digest_size
    return found


def text(store: bytes, at: int) -> tuple[str, int]:
    (size,) = struct.unpack_from(">H", store, at)
    return store[at + 2 : at + 2 + size].decode(), at + 2 + size


def test_every_certificate_of_a_bundle_stands_once_in_java_s_store(bundle: bytes) -> None:
    entries = stored(trust_store(bundle))
    blocks = bundle.decode().split("-----BEGIN CERTIFICATE-----")[1:3]
    expected = [ssl.PEM_cert_to_DER_cert(f"-----BEGIN CERTIFICATE-----{block.partition('#')[0]}") for block in blocks]
    assert [der for _, der in entries] == expected
    assert len({name for name, _ in entries}) == 2


def test_a_bundle_without_certificates_is_an_empty_store() -> None:
    assert stored(trust_store(b"-----BEGIN CERTIFICATE-----\nnothing")) == []


def test_java_gets_its_options_and_the_repository_s_and_the_way_out_is_ours() -> None:
    assert with_variables({JAVA_VARIABLE: "-Da=1", "X": "1"}, {JAVA_VARIABLE: "-Db=2", "X": "2", "Y": "2"}) == {
        JAVA_VARIABLE: "-Da=1 -Db=2",
        "X": "1",
        "Y": "2",
    }


@pytest.mark.bubblewrap
def test_set_up_tells_java_and_maven_of_the_proxy_and_the_certificates_and_keeps_none_of_it(
    engine: BubblewrapEngine, repository: Repository, bundle: bytes
) -> None:
    show = "echo; echo options=$JAVA_TOOL_OPTIONS; env | grep -c =/env/ca.pem; cat $HOME/.m2/settings.xml"
    plan = Environment("test", (), (SetupCommand(("sh", "-c", show)),), (TestCommand("pytest", ("pytest",)),), ("a",))
    checkout = repository({"a": "1"})
    prepared = prepare(
        engine, checkout, plan, repository="x", allowed_hosts=("127.0.0.9:1",), ca_bundle=bundle,
        report=lambda _: None,
    )  # fmt: skip
    _, options_line, variables, settings = prepared.log.split("\n", 4)[1:]
    host, port = PROXY.removeprefix("http://").split(":")
    assert f" -Dhttps.proxyHost={host} " in options_line
    assert f" -Dhttps.proxyPort={port} " in options_line
    assert "-Djavax.net.ssl.trustStore=/env/ca.jks" in options_line
    assert int(variables) == len(CA_VARIABLES)
    proxies = ElementTree.fromstring(settings.partition("[exit code")[0]).iter("proxy")
    assert [[proxy.findtext(name) for name in ("protocol", "host", "port")] for proxy in proxies] == [
        ["http", host, port],
        ["https", host, port],
    ]
    with fresh_box(engine, checkout, prepared) as box:
        for path in FILES:
            with pytest.raises(FileNotFoundError):
                box.read(path, max_bytes=1)
