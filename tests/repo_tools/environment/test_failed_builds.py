"""What was built in vain."""

from repo_tools.environment.failed_builds import FailedBuilds

SAID = "  × Failed to build `pyyaml==3.13`\n"


def test_another_version_than_the_one_that_was_built_in_vain_may_be_built() -> None:
    builds = FailedBuilds()
    builds.note({}, SAID)
    words = ("PyYAML==3.13", "pyyaml>=3; python_version>'3'", "PyYAML!=3.13", "PyYAML>3.13")
    exact, least, *others = (("/env/uv", "pip", "install", "six", word) for word in words)
    for asked in (exact, least):
        assert builds.spared(asked, {}) == (*asked[:3], "--only-binary=pyyaml", *asked[3:])
    for other in others:
        assert builds.spared(other, {}) == other
