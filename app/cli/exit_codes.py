"""How commands that work on a repository or a task end, for the program that called them."""

PROVED, CONFIGURATION, ESCALATED = 0, 2, 3
