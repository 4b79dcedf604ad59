"""A labelling is one run, whatever tells of it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.support.issues import ENDED, a_claim, a_delivery, a_run, an_issue
from workers.store import CreatedRun, IssueSnapshot, RunStore, StopOrder, StopScope

LABELLED = datetime(2026, 11, 21, 20, 15, 1, tzinfo=UTC)
LATER = LABELLED + timedelta(minutes=1)


def labelled(at: datetime = LABELLED) -> IssueSnapshot:
    return replace(an_issue(), labelled_at=at)


def unlabel(store: RunStore, issue: IssueSnapshot, at: datetime = LATER) -> int:
    order = StopOrder(
        StopScope.ISSUE,
        "The label was taken off.",
        repository_id=issue.repository_id,
        issue_number=issue.issue_number,
        at=at,
        label_off=True,
    )
    return store.stop_runs(a_delivery(), order)


def ended(store: RunStore, run_id: str, labelling: int | None = None) -> None:
    claim = a_claim(store, run_id)
    if labelling is not None:
        assert store.settle_labelling(claim, labelling) is None
    store.finish(claim, ENDED, {})


def test_another_delivery_of_a_labelling_gives_its_run_after_it_ended(store: RunStore) -> None:
    """W09."""
    issue = labelled()
    first = store.create_run_once(a_delivery(), issue)
    ended(store, first.run_id)
    assert store.create_run_once(a_delivery(), issue) == CreatedRun(first.run_id, created=False)


def test_a_label_put_on_again_later_makes_a_new_run(store: RunStore) -> None:
    issue = labelled()
    ended(store, store.create_run_once(a_delivery(), issue).run_id, labelling=5)
    assert store.create_run_once(a_delivery(), replace(issue, labelled_at=LATER)).created


def test_a_label_taken_off_and_put_on_within_a_second_makes_a_new_run(store: RunStore) -> None:
    """GitHub's times have no fractions."""
    issue = labelled()
    ended(store, store.create_run_once(a_delivery(), issue).run_id, labelling=5)
    unlabel(store, issue, at=LABELLED)
    assert store.create_run_once(a_delivery(), issue).created


def test_who_knows_the_event_makes_one_run_of_it(store: RunStore) -> None:
    issue = labelled()
    first = store.create_run_once(a_delivery(), issue, 5)
    ended(store, first.run_id)
    assert store.create_run_once(a_delivery(), replace(issue, labelled_at=LATER), 5).run_id == first.run_id
    assert store.create_run_once(a_delivery(), replace(issue, labelled_at=LATER), 6).created


def test_a_run_that_finds_its_labelling_taken_is_told_by_whom(store: RunStore) -> None:
    issue = labelled()
    first = store.create_run_once(a_delivery(), issue)
    ended(store, first.run_id, labelling=5)
    second = a_claim(store, store.create_run_once(a_delivery(), replace(issue, labelled_at=LATER)).run_id)
    assert store.settle_labelling(second, 5) == first.run_id
    assert store.settle_labelling(second, 6) is None
    assert store.settle_labelling(second, 6) is None


def test_the_run_of_a_label_put_on_again_waits_for_the_end_of_the_one_before(store: RunStore) -> None:
    issue = labelled()
    first = a_claim(store, store.create_run_once(a_delivery(), issue).run_id)
    assert unlabel(store, issue) == 1
    again = store.create_run_once(a_delivery(), replace(issue, labelled_at=LATER))
    assert again.created
    assert store.claim(again.run_id, "worker-2", 60) is None
    assert again.run_id not in store.due_for_ring(-1)
    store.release(first)  # its worker was told to stop: it is to be ended still
    assert store.claim(again.run_id, "worker-2", 60) is None
    store.finish(a_claim(store, first.run.id), ENDED, {})
    assert store.claim(again.run_id, "worker-2", 60) is not None


def test_a_label_put_on_again_and_again_makes_one_new_run(store: RunStore) -> None:
    issue = labelled()
    a_claim(store, store.create_run_once(a_delivery(), issue).run_id)
    unlabel(store, issue)
    again = replace(issue, labelled_at=LATER)
    made = [store.create_run_once(a_delivery(), again) for _ in range(3)]
    assert [run.created for run in made] == [True, False, False]
    assert len({run.run_id for run in made}) == 1


def test_a_labelling_needs_a_run_until_it_has_had_one(store: RunStore) -> None:
    issue = labelled()
    place = issue.repository_id, issue.issue_number
    assert not store.had_run(*place, 5, LABELLED)
    run_id = store.create_run_once(a_delivery(), issue).run_id
    assert not store.had_run(*place, 5, LABELLED)
    assert store.is_under_way(*place)  # time enough when that has ended
    ended(store, run_id, labelling=5)
    assert store.had_run(*place, 5, LABELLED)
    assert not store.had_run(*place, 6, LATER)
    assert not store.is_under_way(*place)


def test_a_run_that_ended_before_its_labelling_was_read_counts_by_its_time(store: RunStore) -> None:
    issue = labelled()
    ended(store, store.create_run_once(a_delivery(), issue).run_id)
    place = issue.repository_id, issue.issue_number
    assert store.had_run(*place, 5, LABELLED)
    assert not store.had_run(*place, 6, LATER)


def test_a_run_that_ended_before_anybody_began_it_does_not_count(store: RunStore) -> None:
    issue = labelled()
    store.create_run_once(a_delivery(), issue)
    unlabel(store, issue)
    assert not store.had_run(issue.repository_id, issue.issue_number, 5, LABELLED)


def test_deliveries_count_as_processed_once_they_were_acted_on(store: RunStore) -> None:
    known, ignored, stopped = a_delivery(), a_delivery(), a_delivery()
    store.create_run_once(known, an_issue())
    store.record_ignored(ignored, "another label")
    store.stop_runs(stopped, StopOrder(StopScope.REPOSITORY, "Gone.", repository_id=1))
    given = [known.id, ignored.id, stopped.id, a_delivery().id]
    assert store.processed(given) == frozenset(given[:3])


def test_local_runs_wait_for_nobody(store: RunStore) -> None:
    local = replace(an_issue(0, repository_id=0), installation_id=0)
    first, second = a_run(store, local), a_run(store, local)
    a_claim(store, first)
    assert store.claim(second, "worker-2", 60) is not None
