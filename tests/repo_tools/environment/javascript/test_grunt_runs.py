"""What grunt runs, in a real box."""

import json
from pathlib import Path

import pytest

from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from tests.support.laboratory import laboratory

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(600)]

GRUNTFILE = """
module.exports = (grunt) => {
  grunt.initConfig({
    nodeunit: { all: ['test/*_test.js'] },
  });
  grunt.loadNpmTasks('grunt-contrib-nodeunit');
  grunt.registerTask('make', () => grunt.file.write('made.json', '42'));
  grunt.registerTask('default', ['make', 'nodeunit']);
};
"""
FILES = {
    "package.json": json.dumps(
        {
            "name": "plugin",
            "version": "1.0.0",
            "scripts": {"test": "grunt"},
            "devDependencies": {"grunt": "1.6.1", "grunt-cli": "1.5.0", "grunt-contrib-nodeunit": "4.0.0"},
        }
    ),
    "Gruntfile.js": GRUNTFILE,
    "test/a_test.js": "exports.made = (test) => { test.equal(require('../made.json'), 42); test.done(); };\n",
}


@pytest.mark.long(
    short="tests/repo_tools/environment/javascript/test_runs.py::test_every_test_of_a_suite_has_its_own_result"
)
def test_each_test_of_the_nodeunit_that_a_plug_in_brings_has_a_result(engine: BubblewrapEngine, tmp_path: Path) -> None:
    """Its releases of today bring a fork, which is called after it (https://github.com/gruntjs/nodeunit-x)."""
    report = laboratory(engine, tmp_path, FILES).baseline
    assert {case.id: str(case.outcome) for case in report.cases} == {"test/a_test.js::made": "passed"}, report.problem
