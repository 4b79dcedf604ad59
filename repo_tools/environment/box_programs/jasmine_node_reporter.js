// jasmine-node with jasmine 1.3, started from here; what its own reporters print stays.
const Module = require('module');

const home = installedAt('jasmine-node');
const jasmine = require(home);
const pattern = process.env.AGENT_FIX_PATTERN ? new RegExp(process.env.AGENT_FIX_PATTERN) : /^/;
delete process.env.AGENT_FIX_PATTERN;
const own = (file) => path.isAbsolute(file) && file !== __filename && !file.includes('/node_modules/');

// The spec file that is being loaded. One that cannot be is red, and hides no other: jasmine-node would load no more.
let loading = '';
let started = false;  // from then on a module is loaded by a test, which sees it fail
let failed = 0;
const { load } = Module.prototype;
Module.prototype.load = function loadAndTell(file) {
  if (started || loading || !own(file)) return load.call(this, file);
  loading = rooted(file);
  try {
    return load.call(this, file);
  } catch (error) {
    failed += 1;
    say('case', loading, [], 'error', 0, text(error));
    return undefined;
  } finally {
    loading = '';
  }
};

const { it, execute } = jasmine.Env.prototype;
jasmine.Env.prototype.it = function define(...words) {
  const spec = it.apply(this, words);
  spec.agentFixFile = loading;
  return spec;
};
const namesOf = (spec) => {
  const names = [String(spec.description)];
  for (let suite = spec.suite; suite; suite = suite.parentSuite) names.unshift(String(suite.description));
  return names;
};
const reporter = {
  started: Date.now(),
  reportSpecStarting() {
    this.started = Date.now();
  },
  reportSpecResults(spec) {
    const results = spec.results();
    const red = results.getItems().filter((item) => item.passed && !item.passed());
    const reasons = red.map((item) => text(item.trace && item.trace.stack ? item.trace : item.message));
    const outcome = results.skipped ? 'skipped' : results.passed() ? 'passed' : 'failed';
    failed += outcome === 'failed' ? 1 : 0;
    const seconds = (Date.now() - this.started) / 1000;
    say('case', spec.agentFixFile || '', namesOf(spec), outcome, seconds, reasons.join('\n'));
  },
  reportRunnerResults() {
    say('end', failed);
    endedSoon(failed);
  },
};
jasmine.Env.prototype.execute = function start(...words) {
  started = true;
  const wanted = this.specFilter;
  this.specFilter = (spec) => wanted.call(this, spec) && pattern.test(namesOf(spec).join(' '));
  this.reporter.subReporters_.unshift(reporter);  // before one that ends the process
  return execute.apply(this, words);
};

const leave = process.exit.bind(process);
process.exit = (code) => leave(code || (failed ? 1 : 0));
process.argv[1] = path.join(home, 'bin', 'jasmine-node');
process.env.NODE_ENV = process.env.NODE_ENV || 'test';
require(path.join(home, 'lib', 'jasmine-node', 'cli.js'));
