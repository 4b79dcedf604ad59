"""The program that fits packages, under a Python that knows neither its own modules' names nor its own command."""

import pytest

from repo_tools.environment.fitting import fitting_versions
from repo_tools.environment.fitting_program import DAY, LATER, SAID
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.image import FURTHER_PLACE
from tests.support.engine import require_docker

SET_UP = """
set -e
%s/python3.9/bin/python3.9 -m venv --without-pip /env/venv
cd /env/venv/lib/python3.9/site-packages
echo 'raise RuntimeError' > old_plugin.py
mkdir old_plugin-1.dist-info
printf 'Name: old-plugin\\nVersion: 1\\n' > old_plugin-1.dist-info/METADATA
printf 'old_plugin.py,,\\n' > old_plugin-1.dist-info/RECORD
printf '[pytest11]\\nold = old_plugin\\n' > old_plugin-1.dist-info/entry_points.txt
"""


@pytest.mark.docker
def test_a_plug_in_that_cannot_be_loaded_is_raised_by_python_3_9_to_the_day_and_then_to_a_later_one() -> None:
    engine = DockerEngine(docker_host=require_docker())
    with engine.start(BoxSpec(writable_environment=True)) as box:
        made = box.exec(["sh", "-c", SET_UP % FURTHER_PLACE], timeout_seconds=60)
        assert made.exit_code == 0, made.output
        days = f"{DAY}=2019-06-01", f"{LATER}=2021-02-01"
        words = ("env", *days, "/env/venv/bin/python", *fitting_versions("/bin/true").argv[1:])
        done = box.exec(words, timeout_seconds=60)
    engine.close()
    said = [line for line in done.output.decode().splitlines() if line.startswith(SAID)]
    assert said == [f"{SAID}old-plugin"] * 2
