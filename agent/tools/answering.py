"""The tool that ends a run with an answer to a question."""

from pydantic import Field

from agent.errors import Answered, ToolFailed
from agent.tools.tool import Arguments, Desk, Tool


class Figure(Arguments):
    name: str = Field(min_length=1, max_length=200, description="what it is, with its unit")
    value: int | float | str = Field(description="as it was computed")


class Answer(Arguments):
    text: str = Field(min_length=1, description="the answer and how it was found, for the person who asked; Markdown")
    figures: list[Figure] = Field([], max_length=100, description="the numbers that the answer rests on")
    files: list[str] = Field([], max_length=50, description="paths of plots and other files that belong to it")


def answer(arguments: Answer, desk: Desk) -> str:
    there = set(desk.workspace.paths())
    if missing := [path for path in arguments.files if path not in there]:
        raise ToolFailed(f"There is no such file in the work tree: {', '.join(missing)}")
    figures = tuple((figure.name, str(figure.value)) for figure in arguments.figures)
    raise Answered(arguments.text, figures, tuple(arguments.files))


ANSWER = Tool(
    "answer",
    "End the run with the answer. The person gets it with the code that was run, the figures and the files.",
    Answer,
    answer,
)
