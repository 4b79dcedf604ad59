"""What a repository's continuous integration says of its set-up and tests: evidence, never executed."""
