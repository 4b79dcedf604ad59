"""The bound holds for every byte-pair encoding that has the common pairs, whatever else its vocabulary holds."""

import random
import string

import pytest

from repo_tools.repo_map.tokens import _JOINED, bound_tokens

CODE = "    def render_invoice(basket: Basket, *, totals_of='all') -> str:\n"
ALPHABETS = (
    string.ascii_lowercase,
    string.ascii_letters + string.digits + "_/.-() '\n",
    "jqxzvwk ",
    "aeiou'srt ",
    "é漢🙂ab ",
)


def tokens_of(text: str, merges: dict[bytes, int]) -> int:
    """Byte-pair encoding: the pair that was learnt first is joined first, until no two neighbours can be."""
    pieces = [bytes([byte]) for byte in text.encode()]
    while len(pieces) > 1:
        places = range(len(pieces) - 1)
        first = min(places, key=lambda place: merges.get(pieces[place] + pieces[place + 1], len(merges)))
        joined = pieces[first] + pieces[first + 1]
        if joined not in merges:
            break
        pieces[first : first + 2] = [joined]
    return len(pieces)


def random_merges(seed: int) -> dict[bytes, int]:
    """The common pairs, in some order, among pairs and longer pieces that are merged before or after them."""
    chosen = random.Random(seed)
    learnt = [f"{first}{second}".encode() for first, after in _JOINED.items() for second in after]
    alphabet = (string.printable + "é漢🙂").encode()
    learnt += [bytes(chosen.choices(alphabet, k=chosen.choice((2, 2, 3, 4)))) for _ in range(600)]
    chosen.shuffle(learnt)
    return {piece: rank for rank, piece in enumerate(dict.fromkeys(learnt))}


@pytest.mark.parametrize("seed", range(8))
def test_no_vocabulary_with_the_common_pairs_takes_more(seed: int) -> None:
    merges, chosen = random_merges(seed), random.Random(seed)
    texts = [CODE, *("".join(chosen.choices(alphabet, k=80)) for alphabet in ALPHABETS)]
    assert [text for text in texts if tokens_of(text, merges) > bound_tokens(text)] == []


@pytest.mark.parametrize(
    ("text", "most"),
    [("", 0), ("a", 1), ("ab", 1), ("abc", 2), ("jq", 2), ("HTTP", 4), ("2026", 4), (" to", 2), ("漢", 3), ("'s", 2)],
)
def test_the_bound_is_the_most_pieces(text: str, most: int) -> None:
    assert bound_tokens(text) == most


def test_what_some_tokenizers_write_out_first_is_counted_written_out() -> None:
    assert bound_tokens("\ufdfa") >= len("صلى الله عليه وسلم".encode())


def test_the_bounds_of_lines_may_be_added_up() -> None:
    lines = [CODE, "src/shop/basket.py\n", "further files\n"]
    assert bound_tokens("".join(lines)) <= sum(map(bound_tokens, lines))
