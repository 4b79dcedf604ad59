// QUnit of before it had a command line, in the programs of others that start it; what these print stays.
const Module = require('module');
const processes = require('child_process');
const { EventEmitter } = require('events');
const util = require('util');

const [, , program, ...told] = process.argv;
const home = installedAt(program);
if (!home) {
  console.error(`${program} is not installed`);
  process.exit(127);
}
const bundled = path.join(home, 'support/qunit/qunit/qunit.js');
const QUnit = require(fs.existsSync(bundled) ? bundled : require.resolve('qunitjs', { paths: [home] }));
const pattern = process.env.AGENT_FIX_PATTERN ? new RegExp(process.env.AGENT_FIX_PATTERN) : /^/;
delete process.env.AGENT_FIX_PATTERN;

let failed = 0;
const tell = (file, names, outcome, seconds, message) => {
  failed += outcome === 'failed' || outcome === 'error' ? 1 : 0;
  say('case', file && rooted(file), names.filter(Boolean).map(String), outcome, seconds, message);
};

// A file of tests that cannot be loaded is red, and hides no other: the program would end with it.
const { load } = Module.prototype;
Module.prototype.load = function loadAndTell(file) {
  const { parent } = this;
  const isAsked = parent && parent.filename && parent.filename.startsWith(`${home}/`) && !file.startsWith(`${home}/`);
  if (!isAsked || file.includes('/node_modules/')) return load.call(this, file);
  try {
    return load.call(this, file);
  } catch (error) {
    return tell(file, [], 'error', 0, text(error));
  }
};

// A test's file is the one that it was defined in.
const places = new Map();
const placeOf = (error) => {
  const own = String(error.stack).match(/\/workspace\/[^\n]*?(?=:\d+:\d+)/g) || [];
  return own.find((file) => !file.includes('/node_modules/')) || '';
};
const key = (suite, name) => JSON.stringify([String(suite || ''), String(name)]);
const current = () => {
  const { currentModule } = QUnit.config;
  return currentModule && typeof currentModule === 'object' ? currentModule.name : currentModule;
};
['test', 'asyncTest', 'skip', 'todo', 'only'].filter((name) => QUnit[name]).forEach((name) => {
  const define = QUnit[name];
  QUnit[name] = function noted(title, ...rest) {
    const suite = current();
    if (!pattern.test([suite, title].filter(Boolean).join(' '))) return undefined;
    if (!places.has(key(suite, title))) places.set(key(suite, title), placeOf(new Error()));
    return define.call(this, title, ...rest);
  };
});

const shown = ({ message, source, expected, actual }) => {
  const values = expected === undefined && actual === undefined ? '' : `expected: ${expected}\nactual: ${actual}`;
  return [message, values, source].filter(Boolean).map(String).join('\n');
};
let started = Date.now();
let reasons = [];
let runs = false;
let done = false;  // which is told again, for the tests of another file
QUnit.testStart(() => {
  started = Date.now();
  runs = true;
  done = false;
  reasons = [];
});
QUnit.log((details) => {
  if (!details.result) reasons.push(shown(details));
});
QUnit.testDone((details) => {
  runs = false;
  const { module: suite, name, skipped, todo } = details;
  const exit = exitOf(!details.failed);
  const outcome = exit ? 'failed' : skipped || todo ? 'skipped' : details.failed ? 'failed' : 'passed';
  const message = outcome === 'failed' ? text([...reasons, ...(exit ? [exit.stack] : [])].join('\n')) : '';
  tell(places.get(key(suite, name)) || '', [suite, name], outcome, (Date.now() - started) / 1000, message);
});
insteadOfExit((code) => {
  if (runs) throw exitCalled(code);
  return code || failed ? 1 : 0;
});
QUnit.done(() => {
  done = true;
  if (program === 'qunit-cli') endedSoon(failed);  // the other ends its process by itself
});
process.on('exit', () => {
  if (done) say('end', failed);
  if (failed) process.exitCode = 1;
});

// The first ``qunit`` has a process of its own for the tests, which tells it of them: here it is this one.
const { fork } = processes;
processes.fork = (file, words, options) => {
  if (!file.startsWith(`${home}/`)) return fork(file, words, options);
  const child = Object.assign(new EventEmitter(), { kill() {} });
  process.argv = [process.argv[0], file, ...words];
  process.send = (message) => child.emit('message', message);
  setImmediate(() => require(file));
  return child;
};

if (!util.print) util.print = (...words) => process.stdout.write(words.join(''));  // which Node had up to 11
const { bin } = require(path.join(home, 'package.json'));
const main = path.join(home, typeof bin === 'string' ? bin : bin[program]);
process.argv = [process.argv[0], main, ...told];
require(main);
