"""Which grammar reads which file. Each language's tag query is compiled once a process."""

from functools import cache
from pathlib import PurePosixPath

import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_typescript
from tree_sitter import Language, Parser, Query

SUFFIXES = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
}

# TypeScript's own tag query names only what JavaScript's does not: its grammar extends JavaScript's.
_TYPESCRIPT_TAGS = """
(function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(method_definition name: (property_identifier) @name) @definition.method
(interface_declaration name: (type_identifier) @name) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(lexical_declaration (variable_declarator name: (identifier) @name value: (arrow_function))) @definition.function
"""


def language_of(path: str) -> str | None:
    """The language of `path` by its suffix; None where no grammar is at hand."""
    return SUFFIXES.get(PurePosixPath(path).suffix.lower())


@cache
def grammar(language: str) -> tuple[Parser, Query]:
    """Parser and tag query of one language."""
    source, tags = {
        "python": (tree_sitter_python.language, tree_sitter_python.TAGS_QUERY),
        "javascript": (tree_sitter_javascript.language, tree_sitter_javascript.TAGS_QUERY),
        "typescript": (tree_sitter_typescript.language_typescript, _TYPESCRIPT_TAGS),
        "tsx": (tree_sitter_typescript.language_tsx, _TYPESCRIPT_TAGS),
        "go": (tree_sitter_go.language, tree_sitter_go.TAGS_QUERY),
        "rust": (tree_sitter_rust.language, tree_sitter_rust.TAGS_QUERY),
        "java": (tree_sitter_java.language, tree_sitter_java.TAGS_QUERY),
    }[language]
    built = Language(source())
    return Parser(built), Query(built, tags)
