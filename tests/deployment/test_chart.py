"""The chart as Kubernetes would get it: rendered, linted, validated, and held to the house's security rules."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from helm_python import HelmError
from helm_python.chart import Chart, lint

from workers.store.migrate import MIGRATION_WAIT_SECONDS

CHART = Path(__file__).parents[2] / "charts" / "agent-fix"
KUBERNETES = ["1.27", kubernetes_validate.latest_version()]
Manifest = dict[str, Any]

VARIANTS: dict[str, Manifest] = {
    "defaults": {},
    "remote engine": {"engine": {"remote": {"host": "tcp://engine:2376", "tlsSecret": "engine-tls"}}},
    "privileged sidecar": {"engine": {"privilegedSidecar": {"enabled": True, "image": "docker:27.5.1-dind"}}},
    "digest and settings": {
        "image": {"digest": "sha256:" + "a" * 64},
        "settings": {"AGENT_FIX_LABEL": "fix me"},
        "web": {"ingressFrom": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]},
        "networkPolicy": {"database": [{"podSelector": {}}], "engine": [{"podSelector": {}}]},
        "imagePullSecrets": [{"name": "registry"}],
    },
}


def render(values: Manifest) -> list[Manifest]:
    with Chart.load(CHART) as chart:
        rendered = chart.render(values=values, name="demo", namespace="fixes")
    texts = rendered.values() if isinstance(rendered, dict) else [rendered]
    return [m for text in texts for m in yaml.safe_load_all(text) if m]


@pytest.fixture(params=VARIANTS)
def manifests(request: pytest.FixtureRequest) -> list[Manifest]:
    return render(VARIANTS[request.param])


def pods(manifests: list[Manifest]) -> Iterator[Manifest]:
    return (m["spec"]["template"]["spec"] for m in manifests if m["kind"] in ("Deployment", "Job"))


def containers(manifests: list[Manifest]) -> Iterator[Manifest]:
    return (c for pod in pods(manifests) for c in pod["containers"])


def component(manifests: list[Manifest], name: str) -> Manifest:
    return next(
        m
        for m in manifests
        if m["kind"] in ("Deployment", "Job") and m["metadata"]["labels"]["app.kubernetes.io/component"] == name
    )


@pytest.mark.parametrize("version", KUBERNETES)
def test_every_manifest_fits_the_schemas_of_kubernetes(manifests: list[Manifest], version: str) -> None:
    assert {m["kind"] for m in manifests} >= {"Deployment", "Service", "Job", "NetworkPolicy"}
    for manifest in manifests:
        kubernetes_validate.validate(manifest, version, strict=True)


def test_the_chart_passes_helms_own_lint() -> None:
    findings = lint(CHART)
    assert not [f for f in findings["messages"] if f["severity"] in ("WARNING", "ERROR", 2, 3)], findings


def test_no_image_floats(manifests: list[Manifest]) -> None:
    """C03."""
    for container in containers(manifests):
        name, _, tag = container["image"].rpartition(":")
        assert name
        assert tag not in ("", "latest")


def test_nothing_runs_as_root_or_can_become_it_but_the_sidecar_that_says_so(manifests: list[Manifest]) -> None:
    for pod in pods(manifests):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
    for container in containers(manifests):
        if container["name"] == "privileged-engine":
            continue
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False
        assert security["readOnlyRootFilesystem"] is True
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert "privileged" not in security


def test_no_path_of_the_host_is_mounted(manifests: list[Manifest]) -> None:
    for pod in pods(manifests):
        assert not [v for v in pod.get("volumes", ()) if "hostPath" in v]
        assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()


def test_each_container_has_its_data_folder_on_a_volume(manifests: list[Manifest]) -> None:
    """Its root cannot be written, and not every runtime makes a volume of what the image declares as one."""
    for container in containers(manifests):
        if container["securityContext"].get("readOnlyRootFilesystem"):
            (folder,) = (e["value"] for e in container["env"] if e["name"] == "AGENT_FIX_DATA_DIR")
            mounts = [Path(mount["mountPath"]) for mount in container["volumeMounts"]]
            assert any(Path(folder).is_relative_to(mount) for mount in mounts), container["name"]


def test_only_the_opted_in_sidecar_is_privileged() -> None:
    privileged = {
        name: [c["name"] for c in containers(render(values)) if c.get("securityContext", {}).get("privileged")]
        for name, values in VARIANTS.items()
    }
    assert privileged.pop("privileged sidecar") == ["privileged-engine"]
    assert not any(privileged.values())


def test_secrets_are_references_and_each_role_gets_only_its_own(manifests: list[Manifest]) -> None:
    """C03."""
    assert not [m for m in manifests if m["kind"] == "Secret"]
    references = {
        role: [
            s["secretRef"]["name"]
            for s in component(manifests, role)["spec"]["template"]["spec"]["containers"][0]["envFrom"]
        ]
        for role in ("web", "worker", "migrate")
    }
    assert references == {
        "web": ["agent-fix-store", "agent-fix-web"],
        "worker": ["agent-fix-store", "agent-fix-worker"],
        "migrate": ["agent-fix-store"],
    }


def test_a_remote_engine_is_reached_with_tls() -> None:
    worker = component(render(VARIANTS["remote engine"]), "worker")["spec"]["template"]["spec"]["containers"][0]
    environment = {e["name"]: e["value"] for e in worker["env"]}
    assert environment["DOCKER_HOST"] == "tcp://engine:2376"
    assert environment["DOCKER_TLS_VERIFY"] == "1"


def test_a_web_pod_that_waits_for_a_migration_at_its_start_is_not_restarted(manifests: list[Manifest]) -> None:
    web = component(manifests, "web")["spec"]["template"]["spec"]["containers"][0]
    startup = web["startupProbe"]
    assert startup["httpGet"] == web["livenessProbe"]["httpGet"]
    assert startup["periodSeconds"] * startup["failureThreshold"] >= 2 * MIGRATION_WAIT_SECONDS


def test_network_policies_cover_every_role_and_keep_the_metadata_address_out(manifests: list[Manifest]) -> None:
    policies = {m["metadata"]["name"]: m["spec"] for m in manifests if m["kind"] == "NetworkPolicy"}
    assert set(policies) == {f"demo-agent-fix-{role}" for role in ("web", "worker", "migrate")}
    for policy in policies.values():
        assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert policies["demo-agent-fix-worker"]["ingress"] == []
    open_blocks = [
        peer["ipBlock"]
        for rule in policies["demo-agent-fix-worker"]["egress"]
        for peer in rule.get("to", ())
        if peer.get("ipBlock", {}).get("cidr") == "0.0.0.0/0"
    ]
    assert open_blocks
    assert all("169.254.0.0/16" in block["except"] for block in open_blocks)


@pytest.mark.parametrize(
    "values",
    [
        {"image": {"tag": "latest"}},
        {"worker": {"replica": 3}},
        {"settings": {"AGENT_FIX_BUDGET__TURNS": 40}},
        {"settings": {"LABEL": "x"}},
        {"settings": {"AGENT_FIX_GITHUB_WEBHOOK_SECRET": "x" * 32}},
        {"settings": {"AGENT_FIX_GITHUB_PRIVATE_KEY": "-----BEGIN"}},
        {"settings": {"AGENT_FIX_API_TOKEN": "x" * 32}},
        {"settings": {"AGENT_FIX_DATABASE_URL": "postgresql://u:p@h/d"}},
        {"settings": {"AGENT_FIX_DATA_DIR": "/data"}},
        {"engine": {"remote": {"host": "tcp://engine:2375"}}},
        {"engine": {"remote": {"host": "unix:///var/run/docker.sock", "tlsSecret": "t"}}},
        {"engine": {"privilegedSidecar": {"enabled": True}}},
        {"secrets": {"store": ""}},
    ],
    ids=str,
)
def test_values_that_are_wrong_or_unsafe_are_refused(values: Manifest) -> None:
    with pytest.raises(HelmError):
        render(values)
