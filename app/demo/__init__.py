"""The main job on one machine, for a person to watch: a stand-in for GitHub, the real service, two labelled issues."""
