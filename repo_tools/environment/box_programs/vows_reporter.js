// Starts vows, whose reporters are told neither the file nor the suite of a test: its suites are heard themselves
// (https://github.com/vowsjs/vows/blob/master/lib/vows/suite.js).
const installed = installedAt('vows');
if (!installed) {
  console.error('vows is not installed');
  process.exit(127);
}
const asked = JSON.parse(process.argv[2]);
const told = process.argv.slice(3);
const program = asked.file ? path.resolve(told.shift()) : path.join(installed, 'bin/vows');
process.argv = [process.argv[0], program].concat(told);

let failed = 0;
let over = false;
const suites = new Map();  // what was described, and where
const tell = (suite, names, outcome, message) => {
  if (over && failed) return;  // vows ends its process once more while that ends, and tells what is left of it
  if (outcome === 'failed' || outcome === 'error') failed += 1;
  const shown = [suite && suite.subject].concat(names).filter(Boolean).map(String);
  say('case', rooted(suites.get(suite) || (asked.file ? program : '')), shown, outcome, 0, message);
};
const begun = new Set();
const isCut = (suite) => begun.has(suite) && suite.results.time === null;

process.on('exit', (code) => {  // before vows hears of it, which ends the process once more
  if (over) return;
  const isLeft = !asked.file && (!suites.size || Array.from(suites.keys()).some((suite) => !begun.has(suite)));
  if (isLeft) tell(null, [], 'error', 'The run ended before its suites began.');
  suites.forEach((file, suite) => {
    const all = suite.batches.reduce((vows, batch) => vows.concat(batch.vows), []);
    const left = all.filter((vow) => !vow.status);
    left.forEach((vow) => tell(suite, [vow.context, vow.description], 'failed', 'It was never called.'));
    if (!left.length && isCut(suite)) tell(suite, [], 'error', 'It did not come to its end.');
  });
  if (code && !failed) tell(null, [], 'error', 'The run ended here: what was printed says why.');
  if (failed && !code) process.exitCode = 1;
  over = true;
  say('end', failed);
});

// Before its release 0.7 it asks every emitter for what it has emitted: Node up to 0.8 told each one of its listeners.
const EMITTED = '_vowsEmitedEvents';
if (/^0\.[0-6]\./.test(require(path.join(installed, 'package.json')).version)) {
  Object.defineProperty(require('events').EventEmitter.prototype, EMITTED, {
    configurable: true,
    get() { return (this[EMITTED] = {}); },
    set(value) {
      Object.defineProperty(this, EMITTED, { configurable: true, enumerable: true, value, writable: true });
    },
  });
}

const vows = require(installed);
const Suite = require(path.join(installed, 'lib/vows/suite')).Suite;
const outcomes = { honored: 'passed', pending: 'skipped' };
const caller = () => {
  const lines = String(new Error().stack).split('\n').slice(1);
  const files = lines.map((line) => (/(\/[^()]*?):\d+:\d+\)?$/.exec(line) || ['', ''])[1]);
  return files.find((file) => file && file !== __filename && file.indexOf(installed) !== 0) || '';
};
const isIn = (file) => (place) => file === place || file.indexOf(`${place}/`) === 0;
const isMeant = (file) => !asked.places.length || asked.places.some(isIn(path.relative(process.cwd(), file)));
const matcher = { test: (key) => asked.names.some((name) => ` > ${name}`.slice(-key.length - 3) === ` > ${key}`) };

const describe = vows.describe;
vows.describe = function described(subject) {
  const suite = describe.apply(this, arguments);
  suites.set(suite, caller());
  return suite;
};
const report = Suite.prototype.report;
Suite.prototype.report = function heard(data) {
  const vow = data[0] === 'vow' ? data[1] : null;
  const reason = vow && vow.exception ? text(vow.exception) : '';
  if (vow) tell(this, [vow.context, vow.title], outcomes[vow.status] || 'failed', reason);
  return report.apply(this, arguments);
};
// By itself it takes this program for the one that is run.
['export', 'exportTo'].forEach((name) => {
  const given = Suite.prototype[name];
  if (!given) return;
  Suite.prototype[name] = function exported(module) {
    return process.mainModule === module ? this.run() : given.apply(this, arguments);
  };
});
const run = Suite.prototype.run;
Suite.prototype.run = function begin(options, callback) {
  begun.add(this);
  if (isMeant(suites.get(this) || '')) {
    return run.call(this, asked.names.length ? Object.assign({}, options, { matcher }) : options, callback);
  }
  this.results.time = 0;
  if (callback) callback(this.results);
  return 0;
};
require('module').runMain();
