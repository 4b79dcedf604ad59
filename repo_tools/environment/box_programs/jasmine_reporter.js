const OUTCOMES = { passed: 'passed', failed: 'failed' };

module.exports = class {
  constructor() {
    this.open = [];
    this.failed = 0;
    this.file = '';
  }

  jasmineStarted() {
    insteadOfExit((code) => { throw exitCalled(code); });
  }

  suiteStarted(suite) {
    this.open.push(suite.description);
  }

  suiteDone(suite) {
    if ((suite.failedExpectations || []).length) this.tell(suite, 'error', []);  // of hooks around all of its tests
    this.open.pop();
  }

  specDone(spec) {
    const exit = exitOf(spec.status === 'passed');
    const failed = exit && { ...spec, failedExpectations: [exit] };
    this.tell(failed || spec, failed ? 'failed' : OUTCOMES[spec.status] || 'skipped', [spec.description]);
  }

  jasmineDone(run) {
    if (run && (run.failedExpectations || []).length) this.tell(run, 'error', []);  // files that could not be loaded
    say('end', this.failed);
    insteadOfExit((code) => code);
  }

  tell(result, outcome, names) {
    const reasons = (result.failedExpectations || []).map((one) => `${one.message || ''}\n${one.stack || ''}`);
    const message = text(reasons.join('\n').trim());
    if (outcome === 'failed' || outcome === 'error') this.failed += 1;
    const file = result.filename ? rooted(result.filename) : '';
    say('case', file, [...this.open, ...names], outcome, (result.duration || 0) / 1000, message);
    print(`${outcome}: ${[...this.open, ...names].join(' > ')}`);
    if (message) print(message);
  }
};

// A program of the repository that starts jasmine by itself reports through this all the same, and runs what is wanted.
if (process.env.AGENT_FIX_IN_PROGRAM) {
  const { paths, pattern } = JSON.parse(process.env.AGENT_FIX_IN_PROGRAM);
  delete process.env.AGENT_FIX_IN_PROGRAM;
  const { prototype } = require(installedAt('jasmine'));
  const { execute } = prototype;
  prototype.execute = function start(files, filter) {
    this.clearReporters();
    this.addReporter(new module.exports());
    return execute.call(this, paths.length ? paths : files, pattern || filter);
  };
}
