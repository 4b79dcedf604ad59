// Starts a program that runs Japa's tests: it chooses the reporters itself, and all of them hear what the emitter is
// told (https://github.com/japa/core, before release 1 of that https://github.com/japa/japa).
const { pathToFileURL, fileURLToPath } = require('url');
const { places, names } = JSON.parse(process.argv[2]);
process.argv = [process.argv[0], path.resolve(process.argv[3]), ...process.argv.slice(4)];

const pathOf = (file) => (file.startsWith('file:') ? fileURLToPath(file) : file);
let failed = 0;
let ended = false;
const tell = (file, title, outcome, seconds, errors) => {
  if (outcome === 'failed' || outcome === 'error') failed += 1;
  const place = String(file || process.argv[1]);
  say('case', rooted(pathOf(place)), title, outcome, seconds, errors.map(text).join('\n'));
};
const titleOf = (given) => (given && typeof given === 'object' ? given.expanded || given.original : given);
const end = () => {
  ended = true;
  endedSoon(failed);
};

// As ids have them: names of white space and controls are one with those of spaces.
const plain = (name) => name.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, ' ').trim();
const shown = (title) => title.filter(Boolean).map(plain).join(' > ');
const escaped = (part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const isWanted = (file, title) => {
  const at = file ? path.relative(process.cwd(), pathOf(file)) : '';
  if (places.length && at && !places.some((place) => at === place || at.startsWith(`${place}/`))) return false;
  const own = shown(title).split(/\{[^{}]*\}/).map(escaped).join('.*');  // of data sets: '{name} is told'
  const pattern = new RegExp(`^${own}$`);
  return !names.length || names.some((name) => pattern.test(name) || shown(title).startsWith(`${name} > `));
};

const errorOf = (one) => one.error;
const hookFailed = (file, title, errors) => {
  if (errors.length) tell(file, [...title, `(${errors[0].phase || 'hook'})`], 'error', 0, errors.map(errorOf));
};
const runner = installedAt('@japa/runner');
const manifest = runner && fs.readFileSync(path.join(runner, 'package.json'), 'utf8');
const { version, exports: entries } = JSON.parse(manifest || '{}');
const countsBugs = parseInt(version, 10) < 4;  // as errors, in tests that are to fail
let group = '';
const heard = {
  'group:start': ({ title }) => {
    group = title;
  },
  'test:end': ({ title, meta, hasError, isFailing, isSkipped, isTodo, duration, errors }) => {
    const isKnownBug = isFailing && countsBugs;
    const passed = Boolean(hasError) === Boolean(isKnownBug);
    const outcome = isSkipped || isTodo ? 'skipped' : passed ? 'passed' : 'failed';
    const titled = [group, titleOf(title)].filter(Boolean);
    const reasons = isKnownBug ? ['It was expected to fail.'] : errors.map(errorOf);
    tell(meta.fileName, titled, outcome, (duration || 0) / 1000, passed ? [] : reasons);
  },
  'group:end': ({ title, meta, errors }) => {
    group = '';
    hookFailed(meta && meta.fileName, [title], errors);
  },
  'suite:end': ({ name, errors }) => hookFailed('', [name], errors),
  'runner:end': end,
};

const replaced = (owner, name, made) => {
  owner[name] = made(owner[name]);
};
// Tests of reporters and plug-ins run a runner of their own, which is another one than the outermost.
let outermost = null;
let refines = null;
const isOutermost = (emitter, event) => {
  if (event === 'runner:start' && ended) tell('', [], 'error', 0, ['Another run began after the end of the first.']);
  if (event === 'runner:start' && !outermost) outermost = emitter;
  return emitter === outermost;
};
const listen = ({ Emitter, Refiner }) => {
  replaced(Emitter.prototype, 'emit', (emit) => function told(event, given, ...more) {
    if (isOutermost(this, event) && heard[event]) heard[event](given);
    return emit.call(this, event, given, ...more);
  });
  const groups = new WeakMap();
  const may = (one) => isWanted(((one.options || {}).meta || {}).fileName, [groups.get(one), one.title]);
  replaced(Refiner.prototype, 'allows', (allows) => function asked(one) {
    refines = refines || this;
    if (this !== refines) return allows.call(this, one);
    if (one.tests) one.tests.forEach((test) => groups.set(test, one.title));
    return (one.tests ? one.tests.some(may) : may(one)) && allows.call(this, one);
  });
};

// Tests of before tell neither their file nor their group.
const listenToJapa2 = (japa) => {
  const { Group } = require(path.join(japa, 'build/src/Group'));
  const { Test } = require(path.join(japa, 'build/src/Test'));
  const { emitter } = require(path.join(japa, 'build/src/Emitter'));
  const known = new WeakMap();
  let running = null;
  const groupOf = (group) => (group.toJSON().title === 'root' ? '' : group.toJSON().title);
  const caller = () => {
    const lines = String(new Error().stack).split('\n').slice(1);
    const files = lines.map((line) => (/((?:file:\/\/)?\/[^()]*?):\d+:\d+\)?$/.exec(line) || ['', ''])[1]);
    return files.find((file) => file && !file.startsWith(japa) && file !== __filename) || '';
  };
  replaced(Group.prototype, 'test', (test) => function added(...given) {
    const one = test.apply(this, given);
    known.set(one, { file: caller(), group: groupOf(this) });
    return one;
  });
  replaced(Group.prototype, 'run', (run) => function chosen() {
    const wanted = ({ file, group: own }, title) => isWanted(file, [own, title]);
    this._tests = this._tests.filter((one) => wanted(known.get(one), one.title || one._title));
    running = known.get(this._tests[0]) || running;
    return this._tests.length ? run.call(this) : Promise.resolve();
  });
  replaced(Test.prototype, 'run', (run) => function begun() {
    running = known.get(this) || running;
    return run.call(this);
  });
  const outcomes = { passed: 'passed', failed: 'failed' };
  emitter.on('test:completed', ({ title, status, duration, error }) => {
    const titled = [running.group, title].filter(Boolean);
    const reasons = status === 'failed' ? [error] : [];
    tell(running.file, titled, outcomes[status] || 'skipped', (duration || 0) / 1000, reasons);
  });
  emitter.on('group:completed', ({ title, error }) => {
    if (error) hookFailed(running && running.file, [title], [{ error: error.error || error, phase: error.lifecycle }]);
  });
  emitter.on('completed', end);
};

process.on('exit', (code) => {
  if (!ended || (code && !failed)) tell('', [], 'error', 0, ['The run ended here: what was printed says why.']);
  if (failed && !code) process.exitCode = 1;
  say('end', failed);
});
const begin = () => require('module').runMain();
const core = entries && entries['./core'];
const before = installedAt('japa');
const hasBefore = before && fs.existsSync(path.join(before, 'build/src/Emitter'));
if (!runner && !hasBefore) {
  console.error('Japa is not installed');
  process.exit(127);
}
if (hasBefore) listenToJapa2(before);
if (core) {  // by eval, for an old Node does not know the word
  const place = path.join(runner, typeof core === 'string' ? core : core.import || core.default);
  eval('(place) => import(place)')(pathToFileURL(place).href).then(listen).then(begin);
} else {
  if (runner) listen(require(require.resolve('@japa/core', { paths: [runner] })));
  begin();
}
