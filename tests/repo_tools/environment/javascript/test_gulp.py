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
gulp.task('constant', function () { return gulp.src(SPECS).pipe(mocha({ timeout: 9 // ms
})) })
const SPECS = ['spec/*.js', '!spec/x.js']
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
BY_FUNCTIONS = """
function specs() {
  return gulp.src('test/index.js', {read: false})
    .pipe($.mocha({
      reporter: 'spec'
    }));
}
const transpile = () => {
  return gulp.src('lib/*.js').pipe(babel()).pipe(gulp.dest('dist'));
};
function all() {
  process.env.A = 'b';
  return specs();
}
gulp.task('transpile', transpile);
gulp.task('mocha', ['transpile'], function(){
  return specs()
    .pipe($.istanbul.writeReports());
});
gulp.task('plain', specs)
gulp.task('test-all', all)
gulp.task('test', ['mocha', 'lint']);
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
            "gulp constant",
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


def test_what_a_series_of_gulp_4_begins_with_is_built_first() -> None:
    built = [("mocha", 'sh -c gulp build && exec "$@" sh mocha out/*.js')]
    assert of_gulp("gulp test", GULP_4) == of_gulp("nyc -r text gulp test-all", GULP_4) == built


BY_SEQUENCE = """
const runSequence = require('run-sequence');
var paths = {
  src: ['src/*.js', 'more/*.js'], // sources
  made: root + '/x.js', "test": 'test/index.js',
  late: 'a.js' + end
};
gulp.task('babel', () => gulp.src(paths.src).pipe(babel()).pipe(gulp.dest('lib')))
gulp.task('build', (done) => runSequence('clean', 'babel', done))
gulp.task('mocha', ['build'], () => gulp.src(paths.test, { read: false }).pipe(mocha()))
gulp.task('late', () => gulp.src(paths.late).pipe(mocha()))
gulp.task('made', () => gulp.src(paths.made).pipe(mocha()))
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


TEST_OF_OBJECT = "gulp.task('test', () => gulp.src(paths.tests).pipe(mocha()))"


@pytest.mark.parametrize(
    "paths",
    [
        "var paths = {\n  tests: 'test/*.js',\n  dist: {\n    js: 'a', tests: 'dist/smoke.js', css: 'b'\n  }\n};",
        "var paths = { dist: { js: 'a', tests: 'dist/smoke.js', css: 'b' }, all: '{a,}}/*', tests: ['test/*.js'] };",
        "var paths = {\n  tests: 'test/*.js',\n  // tests: 'a.js',\n  /* tests: 'b.js', */\n};",
        "var other = { tests: 'a.js' }\nvar paths = { made() { paths.x = 1 }, tests: 'test/*.js' }\nother.tests = 'b'",
    ],
)
def test_an_objects_own_files_are_those_of_its_name(paths: str) -> None:
    assert of_gulp("gulp test", f"{paths}\n{TEST_OF_OBJECT}") == [("mocha", "mocha test/*.js")]


@pytest.mark.parametrize(
    "paths",
    [
        "var paths = { dist: { js: 'a', tests: 'a.js', css: {} } }",
        "var paths = { tests: [unit, 'test/smoke.js'] }",
        "var paths = { tests: ['test/smoke.js', unit] }",
        "var paths = { tests: 'test/'\n  + unit }",
        "var paths = { tests: 'a.js', ...own }",
        "var paths = { tests: 'a.js' }\nif (process.env.ALL) paths.tests = 'test/*.js'",
        "var paths = { tests: 'a.js' }\nif (process.env.ALL) paths['tests'] = 'test/*.js'",
        "var paths = { tests: ['a.js'] }\npaths.tests.push('b.js')",
        "var paths = { tests: 'a.js' }\nfunction again() { paths = { tests: 'b.js' } }",
        "var paths = { tests: 'a.js' }\nObject.assign(paths, require('./paths'))",
        "var paths = { tests: 'a.js',",
        "".join(f"var object{number} = {{ a: 'b' }}\n" for number in range(20)) + "var paths = { tests: 'a.js' }",
    ],
)
def test_files_of_an_object_that_may_be_others_stay_with_gulp(paths: str) -> None:
    assert [runner for runner, _ in of_gulp("gulp test", f"{paths}\n{TEST_OF_OBJECT}")] == ["exit_code"]


@pytest.mark.parametrize("tests", ["['a.js'].concat(more)", "'a/'\n  + more", "[more, 'a.js']", "'a.js'\ntests = more"])
def test_files_of_a_name_that_may_be_others_stay_with_gulp(tests: str) -> None:
    gulpfile = f"const tests = {tests}\ngulp.task('test', () => gulp.src(tests).pipe(mocha()))"
    assert [runner for runner, _ in of_gulp("gulp test", gulpfile)] == ["exit_code"]


@pytest.mark.parametrize(
    ("task", "is_built"),
    [("istanbul", True), ("istanbul-instrument", True), ("test-files", True), ("lint", False), ("watch", False)],
)
def test_a_task_that_writes_files_is_a_build_whatever_it_is_called(task: str, is_built: bool) -> None:
    writes = f"gulp.task('{task}', () => gulp.src('src/*.js').pipe(a()).pipe(gulp.dest('out')))\n"
    tests = f"gulp.task('test', ['{task}'], () => gulp.src('out/test/*.js').pipe(mocha()))"
    built = f'sh -c gulp {task} && exec "$@" sh mocha out/test/*.js' if is_built else "mocha out/test/*.js"
    assert of_gulp("gulp test", writes + tests) == [("mocha", built)]


@pytest.mark.parametrize("task", ["late", "made"])
def test_files_whose_names_are_put_together_stay_with_gulp(task: str) -> None:
    assert [runner for runner, _ in of_gulp(f"gulp {task} # test", BY_SEQUENCE)] == ["exit_code"]


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


TESTS_OF_GULP = "gulp.task('test', ['x'], () => gulp.src('spec/*.js').pipe(mocha({timeout: 9})))\n"
BUILDS_OF_GULP = "gulp.task('x', () => gulp.src('a.ts').pipe(ts()).pipe(gulp.dest('out')))\nrequire('./b')\n"


@pytest.mark.parametrize(
    "gulpfile",
    [
        "require('./tasks/a');\nrequire( \"./tasks/b.js\" )\n",
        "require('./tasks')\nrequire('./package.json')\n",
        "var requireDir = require('require-dir')\nrequireDir('./tasks', {recurse: true})\n",
        "require('require-dir')('./tasks')\n",
        "fs.readdirSync('./tasks').forEach(file => require('./tasks/' + file))\n",
        "wrench.readdirSyncRecursive('tasks/').map(load)\n",
    ],
)
def test_tasks_stand_in_the_files_that_a_gulpfile_loads(gulpfile: str) -> None:
    files = {"tasks__a.js": BUILDS_OF_GULP, "tasks__b.js": TESTS_OF_GULP, "tasks__index.js": "require('./a')\n"}
    manifest = package("gulp test", devDependencies={"gulp": "3", "gulp-mocha": "2"})
    ((runner, command),) = commands(manifest, **{"gulpfile.js": gulpfile, **files})
    assert runner == "mocha"
    assert command == 'sh -c gulp x && exec "$@" sh mocha --timeout 9 spec/*.js'


@pytest.mark.parametrize(
    "gulpfile", ["require('./' + name)\n", "require('..')\n", "requireDir('.')\n", "require('./a')"]
)
def test_files_that_a_gulpfile_may_load_leave_the_tests_to_gulp(gulpfile: str) -> None:
    files = {"gulpfile.js": gulpfile, "a.js": "require('./gulpfile')\nrequire('../up')\n", "tasks__b.js": TESTS_OF_GULP}
    manifest = package("gulp test", devDependencies={"gulp": "3", "gulp-mocha": "2"})
    assert [runner for runner, _ in commands(manifest, **files)] == ["exit_code"]


@pytest.mark.parametrize(("files", "runs"), [("./test/index.js", 1), ("test/other.js", 2)])
def test_what_a_script_and_a_task_both_come_to_is_run_once(files: str, runs: int) -> None:
    scripts = {"test": "gulp test", "test:only": "mocha test/index.js"}
    manifest = package(scripts=scripts, devDependencies={"gulp": "3", "gulp-mocha": "2"})
    gulpfile = f"gulp.task('test', () => gulp.src('{files}').pipe(mocha()))\n"
    tests = {f"test__{name}.js": "it('works', () => {})\n" for name in ("index", "other", "a", "b", "c")}
    assert len(commands(manifest, **{"gulpfile.js": gulpfile, **tests})) == runs


JEST = """
gulp.task('compile', () => gulp.src('lib/*.es6').pipe(babel()).pipe(gulp.dest('lib')))
gulp.task('lint', () => gulp.src('lib/*.es6').pipe(eslint()))
gulp.task('test', ['compile'], () => {
  let jest = require('gulp-jest').default
  return gulp.src('test/').pipe(jest())
})
gulp.task('default', ['lint', 'test'])
"""


def test_tests_that_gulp_gives_jest_are_run_after_what_it_builds() -> None:
    manifest = package("gulp", devDependencies={"gulp": "3", "gulp-jest": "4", "jest": "22"}, jest={"verbose": True})
    (command,) = planned({"package.json": manifest, "gulpfile.js": JEST}).tests
    assert (command.runner, command.shown()) == ("jest", "gulp compile && jest")
    (command,) = planned({"package.json": manifest, "gulpfile.js": JEST.replace("let jest", "process.env.A = 1")}).tests
    assert (command.runner, command.shown()) == ("jest", "jest")


def test_what_functions_of_the_gulpfile_do_is_read_where_they_are_named() -> None:
    assert of_gulp("gulp plain", BY_FUNCTIONS) == [("mocha", "mocha test/index.js")]
    built = 'sh -c gulp transpile && exec "$@" sh mocha test/index.js'
    assert of_gulp("gulp test", BY_FUNCTIONS) == [("mocha", built)]
    assert of_gulp("gulp test-all", BY_FUNCTIONS)[0][0] == "exit_code"


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


@pytest.mark.parametrize(
    ("told", "files"),
    [
        ("path.join(__dirname, 'UP', 'test', '**', '*.js')", "test/**/*.js"),
        ("path.resolve(__dirname, 'UP/./test/*.js')", "test/*.js"),
        ("[__dirname + '/UP/test/a.js', path.join(__dirname, 'UP/test/b.js')]", "test/a.js test/b.js"),
    ],
)
@pytest.mark.parametrize(("file", "up"), [("gulpfile.js", "."), ("tasks/test.js", "..")])
def test_places_that_are_told_from_the_files_own_folder_are_places_of_the_package(
    told: str, files: str, file: str, up: str
) -> None:
    task = f"gulp.task('test', function () {{ return gulp.src({told.replace('UP', up)}).pipe(mocha()) }})\n"
    own = {"gulpfile.js": "require('./tasks/test')", file: task}
    assert commands(package("gulp test", devDependencies={"gulp-mocha": "1"}), **own) == [("mocha", f"mocha {files}")]


def test_places_beside_the_package_are_not_told() -> None:
    task = "gulp.task('test', () => gulp.src(path.join(__dirname, '../test/*.js')).pipe(mocha()))\n"
    found = commands(package("gulp test", devDependencies={"gulp-mocha": "1"}), **{"gulpfile.js": task})
    assert [runner for runner, _ in found] == ["exit_code"]
