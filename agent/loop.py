"""The loop of one attempt: query the model, execute what it called, until something ends it."""

from collections.abc import Mapping
from typing import Any

from agent import prompts, solve_prompts
from agent.assignment import FIX, Assignment
from agent.attempt import Attempt, Record, SolveTask, Task
from agent.budget import Budget
from agent.calls import Calls, last_use
from agent.conversation import Conversation, result_block, text_block
from agent.errors import (
    AgentStop,
    ContextFull,
    GaveUp,
    Interrupted,
    ModelError,
    ModelUnavailableError,
    NoToolCalls,
    PromptTooLongError,
)
from agent.judge import Judge
from agent.model import Block, Model, Reply, Request, ToolCall, Usage
from agent.replay import (
    PastTurn,
    Steps,
    call_was_in_flight,
    first_message,
    max_output_tokens,
    past_turns,
    reply_data,
    result_data,
)
from agent.tools.tool import Desk
from agent.tools.toolbox import Result
from agent.transcript import ToolUse, Transcript, turn_of, use_of
from agent.workspace import Workspace
from repo_tools.interpreter.contract import Tables
from repo_tools.interpreter.notebook import Notebook
from repo_tools.repo_map.symbols import CodeIndex
from repo_tools.test_report import TestReport

MAX_OUTPUT_TOKENS = 32_000
CALL_SECONDS = 900.0
SILENT_REPLIES = 3
SAME_FAILURES = 5
TURNS_ANNOUNCED = (5, 2, 1)


class Agent:
    """One attempt. Limits are checked before each spending; whatever happened is recorded before the loop goes on.

    History is only ever appended to, so that each turn re-reads what came before from the provider's cache; when it no
    longer fits `context_tokens`, the attempt ends (ContextFull). Single use.
    """

    def __init__(  # noqa: PLR0913 - the last five have defaults
        self,
        model: Model,
        workspace: Workspace,
        budget: Budget,
        *,
        judge: Judge,
        record: Record,
        assignment: Assignment = FIX,
        notebook: Notebook | None = None,
        tables: Tables | None = None,
        index: CodeIndex | None = None,
        context_tokens: int = 200_000,
    ) -> None:
        """`notebook`, `tables` and `index` where the assignment has tools for them."""
        self.model = model
        self.workspace = workspace
        self.budget = budget
        self.transcript = Transcript()
        self._judge = judge
        self._record_step = record
        self._assignment = assignment
        self._context_tokens = context_tokens
        self._max_output_tokens = min(MAX_OUTPUT_TOKENS, context_tokens // 4)
        desk = Desk(workspace, budget, self._finish, self._tested, notebook, tables, index)
        self._calls = Calls(assignment.toolbox, desk, context_tokens)
        self._conversation = Conversation()
        self._silent = 0
        self._failed: list[ToolUse] = []  # the same calls with the same errors, in as many replies as
        self._failures = 0

    def run(self, task: Task | SolveTask, past: Steps = (), *, began_before: bool = False) -> Attempt:
        """Work on `task` until an ending. ModelError, SandboxError and what `record` raises propagate; what was reached
        by then is in `attempt_so_far`.

        `past` are the `resumable` steps of an attempt that was cut short; the workspace then starts from their
        `last_change`. Nothing that they hold is asked, executed or recorded again. `began_before`: an earlier attempt
        may have asked its first question, and no answer was recorded.
        """
        self._max_output_tokens = max_output_tokens(past) or self._max_output_tokens
        self._open(first_message(past) or _opening(task))
        try:
            self._replay(past, began_before)
            while True:
                self.step()
        except AgentStop as ending:
            return self._attempt(ending)

    def step(self) -> None:
        """One turn: one reply and what came of it."""
        self._answer(self._query())

    def attempt_so_far(self, reason: str) -> Attempt:
        """What an interrupted attempt leaves: its transcript, its change, its spend."""
        return self._attempt(Interrupted(reason))

    def open(self, task: Task | SolveTask) -> None:
        """Put the task before the model, for whoever calls `step` by themselves."""
        self._open(_opening(task))

    def _open(self, message: str) -> None:
        self._conversation.will_send(self._assignment.system)
        self._conversation.will_send(str(self._assignment.toolbox.specs))
        self._conversation.add_user([text_block(message)])

    def _replay(self, past: Steps, began_before: bool) -> None:
        """The calls of the last reply that have no result yet are made now. What they cost is in the budget already,
        but for a model call that may have been in flight, which is charged at its worst, and recorded: this process may
        be killed as well before it has an answer."""
        turns = past_turns(past)
        for turn in turns:
            self._conversation.add_reply(turn.reply)
            self._answer(turn)
        if turns[-1].complete and call_was_in_flight(past) if turns else began_before:
            charged = Usage(self._conversation.tokens, self._max_output_tokens)
            self.budget.charge_failed_call(charged)
            self._record("resumed", {"charged_tokens": charged.total_tokens})

    def _query(self) -> PastTurn:
        """The next reply, charged and recorded."""
        self.budget.check_turn()
        self._check_window()
        started = self.budget.seconds
        try:
            reply = self.model.query(self._request())
        except ModelError as error:
            self.budget.charge_failed_call(error.usage)
            if isinstance(error, PromptTooLongError):  # our guess was too low, or the model's window is smaller
                raise ContextFull(error.needed, error.window) from error
            if isinstance(error, ModelUnavailableError):
                self.budget.check_turn()  # where the budget's own time was the deadline, that is the ending
            raise
        seconds = self.budget.seconds - started
        self.budget.charge_turn(reply.usage)
        self._record("reply", reply_data(reply, self._number(), seconds, self._request_data()))
        self._conversation.add_reply(reply)
        return PastTurn(reply, seconds, self.budget.turns)

    def _number(self) -> int:
        """Of the turn under way."""
        return len(self.transcript.turns) + 1

    def _check_window(self) -> None:
        needed = self._conversation.tokens + self._max_output_tokens
        if needed > self._context_tokens:
            raise ContextFull(needed, self._context_tokens)

    def _request(self) -> Request:
        return Request(
            self._assignment.system,
            self._conversation.messages,
            self._assignment.toolbox.specs,
            max_output_tokens=self._max_output_tokens,
            deadline_seconds=self.budget.at_most(CALL_SECONDS),
        )

    def _request_data(self) -> dict[str, Any]:
        """What a resumed attempt must find unchanged; the first message with the first reply only."""
        first = len(self._conversation.messages) == 1
        message = {"first_message": self._conversation.messages[0]["content"][0]["text"]} if first else {}
        return {"rules": self._assignment.rules, "max_output_tokens": self._max_output_tokens, **message}

    def _answer(self, turn: PastTurn) -> None:
        """Execute the reply's calls, or nudge. The turn stands in the transcript however this ends."""
        uses: list[ToolUse] = []
        try:
            self._check_stop_reason(turn.reply)
            if turn.reply.tool_calls:
                self._silent = 0
                self._execute(turn, uses)
            else:
                self._nudge(turn)
        finally:
            self.transcript.append(turn_of(self._number(), turn.reply, uses, turn.seconds))

    def _check_stop_reason(self, reply: Reply) -> None:
        if reply.stop_reason == "refusal":
            raise GaveUp(f"the model refused to go on. {reply.text}".strip())
        if reply.stop_reason == "model_context_window_exceeded":
            raise ContextFull(reply.usage.total_tokens, self._context_tokens)

    def _execute(self, turn: PastTurn, uses: list[ToolUse]) -> None:
        """All results of one reply go into the next message. `uses` is filled as the calls are made."""
        blocks: list[Block] = []
        room, calls = self._calls.room, turn.reply.tool_calls
        for number, call in enumerate(calls):
            past = turn.results.get(call.id)
            result = past or self._make(turn.reply, number, room, uses)
            room -= len(result.content)
            uses.append(use_of(call, result.content, is_error=result.is_error))
            if past is None:
                reminders = self._remind(turn) if call is calls[-1] else None
                self._record("tool_result", result_data(call, result, self.workspace.change, reminders))
            blocks.append(result_block(call.id, result.content, result.is_error))
        for call in calls:
            if _was_finished(turn, call):
                self._judge.finished_before()
        self._conversation.add_user([*blocks, *map(text_block, turn.reminders or ())])
        self._check_failures(uses)

    def _check_failures(self, uses: list[ToolUse]) -> None:
        """A model that sends one call that fails over and over would do so until its budget ends."""
        self._failures = self._failures + 1 if uses == self._failed else 1
        self._failed = uses if all(use.is_error for use in uses) else []
        if self._failed and self._failures >= SAME_FAILURES:
            raise NoToolCalls(f"{SAME_FAILURES} replies in a row repeated a call that fails. {uses[0].result}")

    def _make(self, reply: Reply, number: int, room: int, uses: list[ToolUse]) -> Result:
        """The result of one call; an ending stands in `uses` as its result."""
        try:
            return self._calls.make(reply, number, room)
        except AgentStop as ending:
            uses.append(last_use(reply.tool_calls[number], ending))
            raise

    def _remind(self, turn: PastTurn) -> tuple[str, ...]:
        """What follows the results of `turn`; recorded with the last of them, so that another process says the same."""
        limit = self.budget.limits.turns
        left = None if limit is None else limit - turn.spent
        plan = () if self.transcript.opening or turn.reply.text.strip() else (prompts.STATE_PLAN,)
        announced = (prompts.TURNS_LEFT.format(turns=left),) if left in TURNS_ANNOUNCED else ()
        turn.reminders = (*plan, *announced)
        return turn.reminders

    def _nudge(self, turn: PastTurn) -> None:
        self._silent += 1
        if self._silent >= SILENT_REPLIES:
            raise NoToolCalls(f"{SILENT_REPLIES} replies in a row called no tool")
        if turn.nudge is None:
            special = {"max_tokens": prompts.NUDGE_CUT, "pause_turn": prompts.NUDGE_PAUSED}
            turn.nudge = special.get(turn.reply.stop_reason, self._assignment.nudge)
            self._record("nudge", {"text": turn.nudge})
        self._conversation.add_user([text_block(turn.nudge)])

    def _finish(self, summary: str) -> str:
        return self._judge.finish(summary, self.workspace.change, self._record)

    def _tested(self, report: TestReport) -> None:
        self._judge.tested(report, self.workspace.change, self._record)

    def _record(self, kind: str, data: Mapping[str, Any]) -> None:
        self._record_step(kind, {**data, "spend": self.budget.spend()})

    def _attempt(self, ending: AgentStop) -> Attempt:
        return Attempt(ending, self.workspace.change, self._judge.verification, self.transcript)


def _opening(task: Task | SolveTask) -> str:
    return solve_prompts.first_message(task) if isinstance(task, SolveTask) else prompts.first_message(task)


def _was_finished(turn: PastTurn, call: ToolCall) -> bool:
    """Whether this call is a `finish` of an earlier process, whose judgement came back as its result."""
    recorded = turn.results.get(call.id)
    return call.name == "finish" and recorded is not None and not recorded.is_error
