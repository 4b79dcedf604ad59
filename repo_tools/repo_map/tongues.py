"""Languages that people speak: an issue says ``Polish``, a file is called ``pl``."""

import re
from collections.abc import Mapping

_CODES = {
    "afrikaans": "af", "albanian": "sq", "amharic": "am", "arabic": "ar", "armenian": "hy",
    "azerbaijani": "az", "basque": "eu", "belarusian": "be", "bengali": "bn", "bosnian": "bs",
    "bulgarian": "bg", "burmese": "my", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs",
    "danish": "da", "dutch": "nl", "esperanto": "eo", "estonian": "et", "farsi": "fa", "finnish": "fi",
    "french": "fr", "galician": "gl", "georgian": "ka", "german": "de", "greek": "el", "gujarati": "gu",
    "hebrew": "he", "hindi": "hi", "hungarian": "hu", "icelandic": "is", "indonesian": "id", "irish": "ga",
    "italian": "it", "japanese": "ja", "javanese": "jv", "kannada": "kn", "kazakh": "kk", "khmer": "km",
    "korean": "ko", "kurdish": "ku", "kyrgyz": "ky", "lao": "lo", "latvian": "lv", "lithuanian": "lt",
    "macedonian": "mk", "malay": "ms", "malayalam": "ml", "maltese": "mt", "marathi": "mr", "mongolian": "mn",
    "nepali": "ne", "norwegian": "nb", "persian": "fa", "polish": "pl", "portuguese": "pt", "punjabi": "pa",
    "romanian": "ro", "russian": "ru", "serbian": "sr", "sinhala": "si", "slovak": "sk", "slovenian": "sl",
    "somali": "so", "spanish": "es", "swahili": "sw", "swedish": "sv", "tajik": "tg", "tamil": "ta",
    "telugu": "te", "thai": "th", "turkish": "tr", "turkmen": "tk", "ukrainian": "uk", "urdu": "ur",
    "uzbek": "uz", "vietnamese": "vi", "welsh": "cy", "yoruba": "yo", "zulu": "zu",
}  # fmt: skip
"""ISO 639-1, of the languages that software is translated into most."""

_WORD = re.compile(r"\b[A-Za-z]{3,12}\b")
_LOCALE = re.compile(r"([a-z]{2})((?:[-_][A-Za-z]{2,4}){0,2})")
"""``pl``, ``pl_PL``, ``zh-hant``."""

IN_PASSING = 0.4
"""How much a language counts that stands below the title alone: many a reproduction is in one."""

OF_A_REGION = 0.8
"""How much a file of one region's language counts beside that of the language."""


def tongues(title: str, body: str) -> dict[str, float]:
    """code -> how much an issue is about that language, up to 1."""
    return dict.fromkeys(_codes(body), IN_PASSING) | dict.fromkeys(_codes(title), 1.0)


def speaks(path: str, wanted: Mapping[str, float]) -> float:
    """How much a path is of one of these languages: its file or a folder is called so."""
    found = [_LOCALE.fullmatch(part.partition(".")[0]) for part in path.split("/")] if wanted else []
    return max((wanted.get(name[1], 0.0) * (OF_A_REGION if name[2] else 1.0) for name in found if name), default=0.0)


def _codes(text: str) -> list[str]:
    words = map(str.lower, _WORD.findall(text))
    return [_CODES[word] for word in words if word in _CODES]
