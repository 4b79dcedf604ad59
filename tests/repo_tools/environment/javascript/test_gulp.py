"""What tasks of gulp give mocha."""

import pytest

from tests.repo_tools.environment.javascript.trees import commands, package, planned

GULP_3 = """
require('babel-core/register')
var gulp = require('gulp'), mocha = require('gulp-mocha')
gulp.task('default', ['static', 'test'])
gulp.task('static', function () { return gulp.src('**/*.js').pipe(jshint()).pipe(jshint.reporter('fail')) })
gulp.task('lint', function () { return gulp.src('**/*.js').pipe(eslint()) })
gulp.task('transpile', function () { return gulp.src('lib/*.js').pipe(babel()).pipe(gulp.dest('dist')) })
gulp.task('test', ['lint', 'transpile'], function () {
  return gulp.src(['test/**/*.js', '!test/support/*.js'], {read: false})
    .pipe(mocha({ reporter: 'spec', timeout: 3000, require: ['should'] }))
    .once('error', function () { process.exit(1) })
})
gulp.task('spec', function () { gulp.src('spec.js').pipe($.mocha()) })
gulp.task('named', function () { gulp.src(TESTS).pipe(mocha()) })
gulp.task('commented', function () { return gulp.src(['spec/*.js', '!spec/x.js']).pipe(mocha({ timeout: 9 // ms
})) })
gulp.task('set', function () { process.env.A = 'b'; gulp.src('a.js').pipe(mocha()) })
gulp.task('both', ['test', 'spec'])
gulp.task('covered', function (done) {
  gulp.src(['lib/**/*.js', 'a.js']).pipe(istanbul()).pipe(istanbul.hookRequire()).on('finish', function () {
    gulp.src(['test/*.js']).pipe(mocha({ timeout: 9 })).pipe(istanbul.writeReports()).on('end', done);
  });
})
"""
GULP_4 = """
gulp.task('test-all', gulp.series('lint', 'test', "late"))
gulp.task('build', () => gulp.src('a.ts').pipe(ts()).pipe(gulp.dest('out')))
gulp.task('test', gulp.series('build', () => gulp.src('out/*.js').pipe(mocha())))
"""
MOCHA = "mocha --require babel-core/register --timeout 3000 --require should --ignore test/support/*.js test/**/*.js"


def of_gulp(script: str, gulpfile: str = GULP_3) -> list[tuple[str, str]]:
    manifest = package(script, devDependencies={"gulp": "3", "gulp-mocha": "2"})
    environment = planned({"package.json": manifest, "gulpfile.js": gulpfile})
    return [(command.runner, " ".join(command.argv)) for command in environment.tests]


@pytest.mark.parametrize(
    ("script", "command"),
    [
        *((script, f'sh -c gulp transpile && exec "$@" sh {MOCHA}') for script in ("gulp test", "gulp", "npx gulp -S")),
        ("tsc && gulp spec", 'sh -c tsc && exec "$@" sh mocha --require babel-core/register spec.js'),
        (
            "gulp commented",
            "mocha --require babel-core/register --timeout 9 --ignore spec/x.js spec/*.js",
        ),
        (
            "A=b node node_modules/gulp/bin/gulp.js spec",
            "env A=b mocha --require babel-core/register spec.js",
        ),
    ],
)
def test_what_gulp_gives_mocha_has_results_of_its_own(script: str, command: str) -> None:
    assert of_gulp(script) == [("mocha", command)]


def test_what_is_measured_is_not_what_mocha_is_given() -> None:
    assert of_gulp("gulp covered") == [("mocha", "mocha --require babel-core/register --timeout 9 test/*.js")]


def test_a_series_of_gulp_4_may_be_written_on_lines_of_its_own() -> None:
    apart = f"{GULP_4}gulp.task(\n  'default',\n  gulp.series(\n    'build',\n    'test',\n  ))\n"
    assert of_gulp("gulp", apart) == of_gulp("gulp test", GULP_4)


def test_what_a_series_of_gulp_4_begins_with_is_built_first() -> None:
    built = [("mocha", 'sh -c gulp build && exec "$@" sh mocha out/*.js')]
    assert of_gulp("gulp test", GULP_4) == of_gulp("nyc -r text gulp test-all", GULP_4) == built


BY_SEQUENCE = """
const runSequence = require('run-sequence');
gulp.task('babel', () => gulp.src(['src/*.js', 'more/*.js']).pipe(babel()).pipe(gulp.dest('lib')))
gulp.task('build', (done) => runSequence('clean', 'babel', done))
gulp.task('mocha', ['build'], () => gulp.src('test/index.js', { read: false }).pipe(mocha()))
gulp.task('istanbul:hook', () => gulp.src(['src/*.js']).pipe(istanbul()).pipe(istanbul.hookRequire()))
gulp.task('test', function (done) { return runSequence('lint', 'istanbul:hook', ['mocha', 'karma'], done) })
gulp.task('default', (cb) => { gulpSequence('lint', 'mocha')(cb) })
gulp.task('unit', gulpSequence('lint', 'mocha'))
gulp.task('spec', (cb) => sequence('lint', 'mocha', cb))
"""


@pytest.mark.parametrize("script", ["gulp test", "gulp", "gulp unit", "gulp spec"])
def test_tasks_that_gulp_is_told_to_start_one_after_the_other_are_followed_to_the_one_that_tests(script: str) -> None:
    assert of_gulp(script, BY_SEQUENCE) == [("mocha", 'sh -c gulp build && exec "$@" sh mocha test/index.js')]


IN_ALL = "gulp.task('unit', () => gulp.src('test/unit/*.js').pipe(mocha()))\n"
ALL = "gulp.task('all', () => gulp.src('test/*.js').pipe(mocha()))\n"
OTHER = "gulp.task('integration', (cb) => exec('node build/test/all.js', cb))\n"


@pytest.mark.parametrize(
    "gulpfile",
    [
        f"{IN_ALL}gulp.task('test', cb => {{\n // runSequence('unit', cb)\n exec('node test/all.js', cb) }})",
        f"{IN_ALL}{ALL}gulp.task('test', cb => {{ if (a) runSequence('unit', cb); else runSequence('all', cb) }})",
        f"{IN_ALL}gulp.task('test', cb => {{ if (a) runSequence('unit', cb); else exec('b', cb) }})",
        f"{IN_ALL}gulp.task('test', cb => {{ process.env.A = 'b'; runSequence('unit', cb) }})",
        f"{IN_ALL}{ALL}gulp.task('default', ['unit'], cb => {{ a ? runSequence('all', cb) : sequence('all', cb) }})",
        f"{IN_ALL}gulp.task('default', cb => {{ if (a) runSequence('unit', cb); else exec('b', cb) }})",
        f"{IN_ALL}gulp.task('default', cb => {{ if (a) runSequence('unit', cb); else runSequence('lint', cb) }})",
        f"{IN_ALL}gulp.task('test', cb => {{ /* runSequence('unit', cb) */ cb() }})",
        f"{IN_ALL}gulp.task('cover', cb => {{ if (a) runSequence('unit', cb) }})\ngulp.task('test', ['cover'])",
        f"{IN_ALL}// gulp.task('test', ['unit'])",
        f"{IN_ALL}{OTHER}gulp.task('test', cb => runSequence('unit', 'integration', cb))",
        f"{IN_ALL}{OTHER}gulp.task('test', ['unit', 'integration'])",
        f"{IN_ALL}gulp.task('test', cb => runSequence('unit', 'e2e', cb))",
        f"{IN_ALL}gulp.task('test', cb => runSequence('unit', more, cb))",
        f"{IN_ALL}gulp.task('test', cb => runSequence('unit', [more], cb))",
        f"{IN_ALL}gulp.task('test', ['unit'], cb => {{ exec('node test/all.js', cb) }})",
        f"{IN_ALL}gulp.task('test', gulp.series('unit', more))",
        "gulp.task('test', () => a ? gulp.src('a.js').pipe(mocha()) : gulp.src('b.js').pipe(mocha()))",
        "gulp.task('test', () => gulp.src('test/' + a).pipe(mocha()))",
        "const tests = 'test/*.js'\ngulp.task('test', () => gulp.src(tests).pipe(mocha()))",
        "gulp.task('test', () => gulp.src([a, 'test/b.js']).pipe(mocha()))",
    ],
)
def test_what_may_be_but_a_part_of_what_gulp_tests_stays_with_gulp(gulpfile: str) -> None:
    script = "gulp" if "'default'" in gulpfile else "gulp test"
    assert [runner for runner, _ in of_gulp(script, gulpfile)] == ["exit_code"]


@pytest.mark.parametrize(
    "others",
    [
        "gulp.task('test', ['unit'], function (done) {\n  gutil.log('tested');\n  done();\n});",
        "gulp.task('test', cb => runSequence('test:lint', 'unit', 'test:karma', cb))",
        "gulp.task('pre-test', () => gulp.src('a.js').pipe(istanbul()))\ngulp.task('test', ['pre-test', 'unit'])",
        "gulp.task('test-a', () => gulp.src('a.js').pipe(eslint()))\ngulp.task('test', ['test-a', 'unit'])",
        "gulp.task('e2e', (cb) => protractor(cb))\ngulp.task('test', ['unit', 'e2e'])",
        "gulp.task('test', ['unit'])\nfunction publish (cb) { runSequence('babel', 'integration', cb) }",
    ],
)
def test_tasks_that_test_nothing_or_in_a_browser_take_nothing_from_the_one_that_tests(others: str) -> None:
    assert of_gulp("gulp test", IN_ALL + others) == [("mocha", "mocha test/unit/*.js")]


@pytest.mark.parametrize(
    ("task", "is_built"),
    [("istanbul", True), ("istanbul-instrument", True), ("test-files", True), ("lint", False), ("watch", False)],
)
def test_a_task_that_writes_files_is_a_build_whatever_it_is_called(task: str, is_built: bool) -> None:
    writes = f"gulp.task('{task}', () => gulp.src('src/*.js').pipe(a()).pipe(gulp.dest('out')))\n"
    tests = f"gulp.task('test', ['{task}'], () => gulp.src('out/test/*.js').pipe(mocha()))"
    built = f'sh -c gulp {task} && exec "$@" sh mocha out/test/*.js' if is_built else "mocha out/test/*.js"
    assert of_gulp("gulp test", writes + tests) == [("mocha", built)]


@pytest.mark.parametrize("task", ["named", "set", "both", "lint spec"])
def test_what_no_command_line_of_mochas_comes_to_stays_with_gulp(task: str) -> None:
    script = f"gulp {task} # test"
    assert [runner for runner, _ in of_gulp(script)] == ["exit_code"]


def test_what_is_left_out_of_a_task_of_gulp_is_told() -> None:
    manifest = package("gulp test", devDependencies={"mocha": "3"})
    environment = planned({"package.json": manifest, "gulpfile.js": GULP_3})
    told = "package.json scripts.test, of which only the exit code would be known, but for gulpfile.js: test"
    assert environment.left_out == (told,)
    assert commands(package("gulp test"), gulpfile__js="")[0][0] == "exit_code"


def test_a_gulpfile_that_only_loads_others_leaves_the_tests_to_gulp() -> None:
    (found,) = of_gulp("gulp test", "require('./gulp/tasks')\n")
    assert found[0] == "exit_code"


@pytest.mark.parametrize(("files", "runs"), [("./test/index.js", 1), ("test/other.js", 2)])
def test_what_a_script_and_a_task_both_come_to_is_run_once(files: str, runs: int) -> None:
    scripts = {"test": "gulp test", "test:only": "mocha test/index.js"}
    manifest = package(scripts=scripts, devDependencies={"gulp": "3", "gulp-mocha": "2"})
    gulpfile = f"gulp.task('test', () => gulp.src('{files}').pipe(mocha()))\n"
    tests = {f"test__{name}.js": "it('works', () => {})\n" for name in ("index", "other", "a", "b", "c")}
    assert len(commands(manifest, **{"gulpfile.js": gulpfile, **tests})) == runs


def has_karma_spared(test: str, gulpfile: str) -> bool:
    own = {"test": test, "mine": "gulp test && mocha", "build": "gulp build"}
    manifest = package(scripts=own, devDependencies={"karma": "1"})
    setup = planned({"package.json": manifest, gulpfile: "require('karma').Server"}).setup
    return any('["karma"]' in word for command in setup for word in command.argv)


@pytest.mark.parametrize(
    ("test", "is_spare"),
    [
        ("gulp test", False),
        ("npm run mine", False),
        ("node_modules/.bin/gulp", False),
        ("npm run build && mocha", False),
        ("ava", True),
    ],
)
def test_what_a_gulpfile_loads_is_not_to_be_spared_where_gulp_is_started(test: str, is_spare: bool) -> None:
    assert has_karma_spared(test, "gulpfile.js") == is_spare


@pytest.mark.parametrize(
    "gulpfile",
    ["Gulpfile.js", "gulpfile.babel.js", "gulpfile.cjs", "gulpfile.mjs", "gulpfile.ts", "Gulpfile.babel.ts"],
)
def test_a_gulpfile_may_be_called_in_all_ways_that_gulp_knows(gulpfile: str) -> None:
    assert not has_karma_spared("gulp test", gulpfile)
    assert has_karma_spared("gulp test", f"x{gulpfile}")
