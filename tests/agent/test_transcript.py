"""The transcript opens with what the model stated first."""

from agent.model import Usage
from agent.transcript import Transcript, Turn


def test_the_opening_is_the_first_text_that_the_model_stated() -> None:
    transcript = Transcript()
    for number, text in enumerate(("", " \n", "The plan.\n", "More."), 1):
        transcript.append(Turn(number, text, (), Usage(), 0.0))
    assert transcript.opening == "The plan."
