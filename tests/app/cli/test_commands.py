"""Mistakes at the command line: what, where, what to do; exit code 2."""

import platform
import socket
import subprocess
from datetime import UTC
from importlib.metadata import version
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from app.cli.commands import COMMANDS
from tests.support.calc import FILES
from tests.support.command_line import CommandLine
from tests.support.databases import set_back
from tests.support.issues import a_claim, a_run, an_issue
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import open_store
from workers.store.schema import runs


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "calc"
    path.mkdir()
    for name, content in FILES.items():
        (path / name).write_bytes(content)
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", path, *identity, *arguments], check=True)
    return path


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    path = tmp_path / "issue.md"
    path.write_text("# The first price is left out\n\ntotal([1, 2, 3]) should be 6.\n")
    return path


def expect_usage_error(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in " ".join(done.stderr.replace("│", " ").split())


def test_fix_without_a_key_names_the_setting_and_the_remedy(
    agent_fix: CommandLine, tmp_path: Path, repository: Path, issue: Path
) -> None:
    done = agent_fix("fix", repository, "--issue", issue, AGENT_FIX_DATA_DIR=str(tmp_path / "data"))
    expect_usage_error(done, "ANTHROPIC_API_KEY: is not set", "Set the key")


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "has no title"), (b"#  \n\nbody", "has no title"), (b"\xff\xfe", "is not UTF-8 text (byte 0)")],
)
def test_fix_refuses_an_issue_that_cannot_be_one(
    agent_fix: CommandLine, tmp_path: Path, repository: Path, content: bytes, words: str
) -> None:
    bad = tmp_path / "bad.md"
    bad.write_bytes(content)
    expect_usage_error(agent_fix("fix", repository, "--issue", bad), words)


def test_fix_refuses_a_folder_that_is_no_repository(agent_fix: CommandLine, tmp_path: Path, issue: Path) -> None:
    done = agent_fix("fix", tmp_path, "--issue", issue, ANTHROPIC_API_KEY="k", AGENT_FIX_DATA_DIR=str(tmp_path / "d"))
    expect_usage_error(done, "is not in a git repository")


def test_fix_refuses_a_base_that_names_no_commit(
    agent_fix: CommandLine, tmp_path: Path, repository: Path, issue: Path
) -> None:
    done = agent_fix(
        "fix", repository, "--issue", issue, "--base", "no-such-branch",
        ANTHROPIC_API_KEY="k", AGENT_FIX_DATA_DIR=str(tmp_path / "d"),
    )  # fmt: skip
    expect_usage_error(done, "'no-such-branch' names no commit")


def test_fix_refuses_a_branch_that_exists_before_anything_is_spent(
    agent_fix: CommandLine, tmp_path: Path, repository: Path, issue: Path
) -> None:
    done = agent_fix(
        "fix", repository, "--issue", issue, "--branch", "main",
        ANTHROPIC_API_KEY="k", AGENT_FIX_DATA_DIR=str(tmp_path / "d"),
    )  # fmt: skip
    expect_usage_error(done, "'main' exists already")


@pytest.mark.parametrize("command", ["web", "runs", "doctor"])
@pytest.mark.parametrize("name", ["AGENT_FIX_BUDGET__TURN", "AGENT_FIX_LABLE"])
def test_a_misspelt_setting_stops_every_command_with_a_suggestion(
    agent_fix: CommandLine, command: str, name: str
) -> None:
    expect_usage_error(agent_fix(command, **{name: "1"}), name, "is not a setting", "Did you mean")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("AGENT_FIX_BROKER_URL", "nonsense", "must start with one of redis://"),
        ("AGENT_FIX_BROKER_URL", "", "is not set"),
        ("AGENT_FIX_BROKER_URL", "redis://:secret@host:abc", "a port that is none"),
        ("AGENT_FIX_BROKER_URL", "amqp://:5672", "names no host"),
        ("AGENT_FIX_LABEL", "   ", "at least 1 character"),
        ("AGENT_FIX_LABEL", "fix\nme", "no label on GitHub is called so"),
        ("AGENT_FIX_LABEL", "fix\u200b", "no label on GitHub is called so"),
        ("AGENT_FIX_LABEL", "fix, please", "separates labels"),
        ("AGENT_FIX_ALLOWED_BOTS", "triage[bot],helper", "has helper: write helper[bot]"),
        ("AGENT_FIX_GITHUB_SERVER_URL", "https://", "names no host"),
        ("AGENT_FIX_GITHUB_SERVER_URL", "https://me:sEcret@ghe.example.org", "leave user and password out"),
    ],
)
def test_a_value_that_can_mean_nothing_stops_the_start(
    agent_fix: CommandLine, tmp_path: Path, name: str, value: str, words: str
) -> None:
    secret = {"AGENT_FIX_GITHUB_WEBHOOK_SECRET": "s" * 32, "AGENT_FIX_DATA_DIR": str(tmp_path)}
    expect_usage_error(agent_fix("web", "--port", "0", **{**secret, name: value}), name, words)


def test_a_broker_that_anybody_may_use_is_told_at_the_start(agent_fix: CommandLine, tmp_path: Path) -> None:
    """C04."""
    with socket.create_server(("127.0.0.1", 0)) as taken:  # which ends it
        done = agent_fix(
            "web", "--port", taken.getsockname()[1], AGENT_FIX_GITHUB_WEBHOOK_SECRET="s" * 32,
            AGENT_FIX_DATA_DIR=str(tmp_path), AGENT_FIX_BROKER_URL="redis://queue.example.org/0",
        )  # fmt: skip
    expect_usage_error(done, "AGENT_FIX_BROKER_URL: the connection is not encrypted", "it has no password")


def test_an_address_of_the_model_that_is_none_stops_the_start(agent_fix: CommandLine) -> None:
    """It would look like a provider that does not answer, for which every run waits."""
    done = agent_fix("worker", ANTHROPIC_BASE_URL="gateway.example.org")
    expect_usage_error(done, "ANTHROPIC_BASE_URL", "must start with https://")


def test_a_database_address_whose_port_is_no_number_is_a_mistake_of_the_operators(agent_fix: CommandLine) -> None:
    done = agent_fix("runs", AGENT_FIX_DATABASE_URL="postgresql://u:sEcret@host:abc/x")
    expect_usage_error(done, "AGENT_FIX_DATABASE_URL", "is not a database URL")
    assert "sEcret" not in done.stderr


def test_serve_with_a_port_that_is_taken_ends_at_once(agent_fix: CommandLine, tmp_path: Path) -> None:
    key = generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = agent_fix(
            "serve", "--port", taken.getsockname()[1],
            AGENT_FIX_DATA_DIR=str(tmp_path), AGENT_FIX_GITHUB_WEBHOOK_SECRET="s" * 32, ANTHROPIC_API_KEY="k",
            AGENT_FIX_GITHUB_APP_ID="1", AGENT_FIX_GITHUB_PRIVATE_KEY=pem,
        )  # fmt: skip
    expect_usage_error(done, "cannot be bound", "Name a free port")


def test_a_zero_budget_stops_the_start(agent_fix: CommandLine) -> None:
    done = agent_fix("worker", AGENT_FIX_BUDGET__TURNS="0")
    expect_usage_error(done, "AGENT_FIX_BUDGET__TURNS", "greater than 0")


def test_a_short_webhook_secret_stops_the_start_and_is_not_printed(agent_fix: CommandLine) -> None:
    done = agent_fix("web", AGENT_FIX_GITHUB_WEBHOOK_SECRET="tiny", AGENT_FIX_BROKER_URL="redis://127.0.0.1:1/0")
    expect_usage_error(done, "AGENT_FIX_GITHUB_WEBHOOK_SECRET", "shorter than 16 bytes")
    assert "tiny" not in done.stderr


def test_an_empty_list_of_runs_is_a_table_and_an_unknown_run_an_error(agent_fix: CommandLine, tmp_path: Path) -> None:
    data = {"AGENT_FIX_DATA_DIR": str(tmp_path)}
    assert agent_fix("runs", **data).returncode == 0
    expect_usage_error(agent_fix("show", "nothing", **data), "there is no run nothing")


def test_map_prints_the_files_of_a_repository_within_its_budget(
    agent_fix: CommandLine, repository: Path, issue: Path
) -> None:
    done = agent_fix("map", repository, "--issue", issue, "--tokens", "60")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("calc.py\n    1  def total(prices):\n")
    assert len(done.stdout.encode()) <= 180


def test_doctor_prints_the_remedy_for_each_thing_that_is_wrong(agent_fix: CommandLine, tmp_path: Path) -> None:
    done = agent_fix(
        "doctor",
        AGENT_FIX_DATA_DIR=str(tmp_path),
        AGENT_FIX_BROKER_URL="redis://127.0.0.1:1/0",
        AGENT_FIX_DATABASE_URL="postgresql+psycopg://nobody@127.0.0.1:1/none",
        AGENT_FIX_GITHUB_API_URL="http://127.0.0.1:1",
        AGENT_FIX_GITHUB_SERVER_URL="http://127.0.0.1:1",
        AGENT_FIX_SANDBOX="bubblewrap",
        COLUMNS="200",
    )
    assert done.returncode == 2
    assert "✓ sandbox: bubblewrap" in done.stdout
    assert "✓ services: at hand: " in done.stdout
    assert "✓ Pythons: at hand: 3." in done.stdout
    for what, remedy in (
        ("database", "AGENT_FIX_DATABASE_URL"),
        ("broker", "AGENT_FIX_BROKER_URL"),
        ("model", "Set the key"),
        ("App key", "AGENT_FIX_GITHUB_APP_ID"),
    ):
        assert f"✗ {what}" in done.stdout
        assert remedy in done.stdout


def test_the_version_is_told_whatever_is_set(agent_fix: CommandLine) -> None:
    done = agent_fix("--version", AGENT_FIX_NONSENSE="1")
    assert (done.returncode, done.stdout) == (0, f"agent-fix {version('agent-fix')}\n")


def test_no_command_offers_to_change_the_shell(agent_fix: CommandLine) -> None:
    for command in COMMANDS:
        assert "completion" not in agent_fix(command, "--help").stdout, command


def test_the_demo_refuses_a_folder_that_cannot_be_written(agent_fix: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    expect_usage_error(agent_fix("demo", "--output", "/proc/demo"), "/proc/demo cannot be written", "--output")
    expect_usage_error(agent_fix("demo", "--output", tmp_path / "file" / "demo"), "cannot be written", "--output")


def test_worker_check_tells_whether_a_worker_of_this_machine_is_alive(agent_fix: CommandLine, tmp_path: Path) -> None:
    data = {"AGENT_FIX_DATA_DIR": str(tmp_path)}
    done = agent_fix("worker", "--check", **data)
    assert done.returncode == 1
    assert f"no worker of {platform.node()} has" in done.stderr
    store = open_store(f"sqlite:///{tmp_path}/agent-fix.db")
    store.worker_seen("elsewhere-1")
    assert agent_fix("worker", "--check", **data).returncode == 1
    store.worker_seen(f"{platform.node()}-1")
    store.close()
    assert agent_fix("worker", "--check", **data).returncode == 0


def test_runs_are_listed_whole_on_one_line_each_where_no_terminal_is(agent_fix: CommandLine, tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/agent-fix.db")
    claim, local = a_claim(store), a_claim(store)
    store.finish(claim, Outcome(OutcomeKind.DRAFT_PULL_REQUEST, Reason.CONTRACT_CHANGED, "", None), {})
    store.finish(local, Outcome(OutcomeKind.DRAFT_PULL_REQUEST, Reason.ANSWERED, "", "out"), {})
    store.close()
    told = agent_fix("runs", AGENT_FIX_DATA_DIR=str(tmp_path)).stdout
    (line,) = [line for line in told.splitlines() if claim.run.id in line]
    assert "draft_pull_request" in line
    assert "contract_changed" in line
    assert f"{claim.run.created_at.astimezone(UTC):%Y-%m-%d %H:%M}" in line
    assert claim.run.title in line
    (line,) = [line for line in told.splitlines() if local.run.id in line]
    assert "draft" not in line
    assert "answered" in line


def test_forget_deletes_what_ended_as_long_ago_as_it_is_told_and_says_how_much(
    agent_fix: CommandLine, tmp_path: Path
) -> None:
    data, url = {"AGENT_FIX_DATA_DIR": str(tmp_path)}, f"sqlite:///{tmp_path}/agent-fix.db"
    store = open_store(url)
    claim = a_claim(store)
    store.finish(claim, Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, "It could not be done.", None), {})
    set_back(url, runs.c.ended_at, 20 * 86_400.0)
    assert agent_fix("forget", "--older-than", "21", **data).stdout == "runs deleted: 0\n"
    assert store.get(claim.run.id) is not None
    assert agent_fix("forget", "--older-than", "19", **data).stdout == "runs deleted: 1\n"
    assert store.get(claim.run.id) is None
    store.close()
    refused = agent_fix("forget", "--older-than", "7", **data)
    assert refused.returncode == 2
    assert "8" in refused.stderr


def test_a_long_title_is_cut_wherever_that_is(agent_fix: CommandLine, tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/agent-fix.db")
    a_run(store, an_issue(title="a" * 50))
    store.close()
    assert f"{'a' * 39}…" in agent_fix("runs", AGENT_FIX_DATA_DIR=str(tmp_path)).stdout


def test_a_folder_that_no_python_can_be_put_into_is_told_before_anything_is_fetched(
    agent_fix: CommandLine, tmp_path: Path
) -> None:
    done = agent_fix("sandbox", "pythons", "/usr/local/missing")
    expect_usage_error(done, "/usr/local/missing is no folder that can be written to", "Name another one, or be root.")
    done = agent_fix("sandbox", "pythons", str(tmp_path))
    expect_usage_error(done, f"{tmp_path} is nowhere that the sandbox looks", "Name /usr/local or a folder in it.")


def test_images_of_unknown_services_are_not_made(agent_fix: CommandLine) -> None:
    expect_usage_error(agent_fix("sandbox", "build", "--services", "redis,oracle"), "no service is called oracle")


def test_an_image_with_unknown_languages_or_of_services_with_any_is_not_made(agent_fix: CommandLine) -> None:
    expect_usage_error(agent_fix("sandbox", "build", "--languages", "go,cobol"), "no language is called cobol")
    done = agent_fix("sandbox", "build", "--languages", "go", "--services", "redis")
    expect_usage_error(done, "images of services have none", "Call it once for each of the two.")
