"""What a test report says of the services that its tests ran beside."""

from dataclasses import replace

from repo_tools.environment.run import with_services
from repo_tools.test_report import TestReport
from tests.support.folder_box import FolderBox


class ServedBox(FolderBox):
    """A box without servers that says what one with servers would."""

    notes: tuple[str, ...] = ("The tests run without RabbitMQ.",)
    silent: tuple[str, ...] = ()

    def service_notes(self) -> tuple[str, ...]:
        return self.notes

    def silent_services(self) -> tuple[str, ...]:
        return self.silent


REPORT = TestReport("true", (), 0, 0.1, "")


def told(*silent: str, report: TestReport = REPORT) -> TestReport:
    with ServedBox() as box:
        box.silent = silent
        return with_services(box, report)


def test_a_report_says_what_its_tests_ran_without() -> None:
    assert told() == replace(REPORT, notes=("The tests run without RabbitMQ.",))


def test_what_the_report_says_already_is_kept() -> None:
    assert told(report=replace(REPORT, notes=("Left out.",))).notes == ("Left out.", "The tests run without RabbitMQ.")


def test_tests_beside_a_service_that_ended_give_no_result() -> None:
    report = told("Redis (port 6379): Connection refused")
    assert report.service_ended
    assert "stopped answering while the tests ran: Redis (port 6379)" in str(report.problem)


def test_another_problem_comes_first() -> None:
    report = told("Redis (port 6379): Connection refused", report=replace(REPORT, problem="It crashed."))
    assert (report.problem, report.service_ended) == ("It crashed.", False)
