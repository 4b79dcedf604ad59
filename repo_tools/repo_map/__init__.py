"""The map of a repository that the model starts from: the files that matter for an issue, and their signatures."""
