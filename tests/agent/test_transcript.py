"""The transcript survives the journal, and opens with what the model stated first."""

import json

from agent.model import Usage
from agent.transcript import ToolUse, Transcript, Turn


def test_a_transcript_survives_json() -> None:
    transcript = Transcript()
    use = ToolUse("edit_file", {"path": "a", "old": "x", "new": "y"}, "Edited", is_error=False)
    transcript.append(Turn(1, "Criterion. Plan.", (use,), Usage(1, 2, 3, 4), 0.5, "hm"))
    transcript.append(Turn(2, "Later.", (), Usage(), 0.1))
    assert Transcript.from_json(json.loads(json.dumps(transcript.to_json()))) == transcript


def test_the_opening_is_the_first_text_that_the_model_stated() -> None:
    transcript = Transcript()
    for number, text in enumerate(("", " \n", "The plan.\n", "More."), 1):
        transcript.append(Turn(number, text, (), Usage(), 0.0))
    assert transcript.opening == "The plan."
