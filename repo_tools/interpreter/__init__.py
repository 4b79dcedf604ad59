"""Python and SQL beside the work tree: code of a model, run step by step in a box of its own."""
