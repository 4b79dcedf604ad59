"""A kind of work: what the model is told of it, and the tools that it has."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from agent import prompts, solve_prompts, thinking
from agent.tools.answering import ANSWER
from agent.tools.ending import FINISH_TRIAL, GIVE_UP_TASK
from agent.tools.python_session import RUN_PYTHON, RUN_PYTHON_ASIDE
from agent.tools.sql import SQL
from agent.tools.testing import RUN_TESTS
from agent.tools.toolbox import FILE_TOOLS, TOOLS, Toolbox


@dataclass(frozen=True)
class Assignment:
    """`nudge` is said to a reply that calls no tool."""

    system: str
    toolbox: Toolbox
    nudge: str = prompts.NUDGE

    @cached_property
    def rules(self) -> str:
        """Names the system prompt, the tools and how models are asked to think: what goes with every request of this
        release and stands in no journal. A conversation goes on only under those it began with: its thinking is signed
        for them, and what the model was told must not change behind its back."""
        sent = f"{self.system}{self.toolbox.specs}{thinking.ADAPTIVE}{thinking.WITHOUT_ADAPTIVE}"
        return hashlib.sha256(sent.encode()).hexdigest()[:12]


FIX = Assignment(prompts.SYSTEM, Toolbox(TOOLS))
FIX_WITH_PYTHON = Assignment(prompts.SYSTEM + prompts.PYTHON_ASIDE, Toolbox((*TOOLS, RUN_PYTHON_ASIDE)))
"""Where the operator lets code be tried out on a throw-away copy."""


def solving(*, tested: bool, data: bool) -> Assignment:
    """A task in a workspace of its own: with given tests it ends when they pass, else with an answer."""
    asking = (SQL,) if data else ()
    ending = FINISH_TRIAL if tested else ANSWER
    toolbox = Toolbox((*FILE_TOOLS, RUN_TESTS, RUN_PYTHON, *asking, ending, GIVE_UP_TASK))
    nudge = solve_prompts.NUDGE_FINISH if tested else solve_prompts.NUDGE_ANSWER
    return Assignment(solve_prompts.system(tested=tested), toolbox, nudge)
