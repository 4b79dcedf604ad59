"""The messages of one attempt, append-only: what the model is shown is what is kept, so that the cache always holds."""

from collections.abc import Sequence

from agent.model import Block, Message, Reply

TOKENS_PER_CHARACTER = 0.4
"""A high guess for code and English, for what no reply has counted yet."""


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def result_block(call_id: str, content: str, is_error: bool) -> Block:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}


class Conversation:
    """`tokens` is the size of the next request: as counted by the provider up to the last reply, guessed from there."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._counted = 0
        self._uncounted_characters = 0

    @property
    def tokens(self) -> int:
        return self._counted + int(self._uncounted_characters * TOKENS_PER_CHARACTER)

    def will_send(self, text: str) -> None:
        """Count what goes with each request beside the messages."""
        self._uncounted_characters += len(text)

    def add_user(self, blocks: Sequence[Block]) -> None:
        self.messages.append({"role": "user", "content": list(blocks)})
        self._uncounted_characters += sum(len(b.get("text") or b.get("content") or "") for b in blocks)

    def add_reply(self, reply: Reply) -> None:
        """Keep the blocks as received, without those that the API would not take back: blank texts, and a reply that
        holds nothing else but thinking."""
        blocks = [b for b in reply.blocks if b["type"] != "text" or b["text"].strip()]
        if any(b["type"] not in ("thinking", "redacted_thinking") for b in blocks):
            self.messages.append({"role": "assistant", "content": blocks})
        self._counted = reply.usage.total_tokens  # all of one call stands in the window of the next
        self._uncounted_characters = 0
