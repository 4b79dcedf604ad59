"""The tools that end a run: finish (of a fix, of a task with given tests) and give_up."""

from pydantic import Field

from agent.errors import GaveUp
from agent.tools.tool import Arguments, Desk, Tool


class Finish(Arguments):
    summary: str = Field(min_length=1, description="what was wrong and what was changed, for the pull request")


class FinishTrial(Finish):
    summary: str = Field(min_length=1, description="what was made and how it works, for the person who asked")


class GiveUp(Arguments):
    reason: str = Field(min_length=1, description="what stands in the way and what a person should look at next")


def finish(arguments: Finish, desk: Desk) -> str:
    return desk.finish(arguments.summary)


def give_up(arguments: GiveUp, desk: Desk) -> str:  # noqa: ARG001 - the shape of every tool
    raise GaveUp(arguments.reason)


FINISH = Tool(
    "finish",
    "Hand in the change. It is verified in fresh sandboxes; if it is proved, the run ends with a pull request, "
    "otherwise the report comes back. Only two verifications are made in a run.",
    Finish,
    finish,
)
FINISH_TRIAL = Tool(
    "finish",
    "Hand in the files as they are. The given tests are run in a fresh sandbox; if all of them pass, the run ends, "
    "otherwise the report comes back.",
    FinishTrial,
    finish,
)
GIVE_UP_TASK = Tool(
    "give_up",
    "End the run without a result, when the task cannot be done here. A person takes over.",
    GiveUp,
    give_up,
)
GIVE_UP = Tool(
    "give_up",
    "End the run without a change, when the issue cannot be fixed here or is not a defect. A person takes over.",
    GiveUp,
    give_up,
)
