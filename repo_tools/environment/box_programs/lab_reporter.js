module.exports = class {
  constructor() {
    this.failed = 0;
    this.told = new Set();
  }

  start() {}

  test(test) {
    const names = test.relativeTitle && Array.isArray(test.path) ? [...test.path, test.relativeTitle] : [test.title];
    this.tell(names, test.err ? 'failed' : test.skipped || test.todo ? 'skipped' : 'passed', test.duration, test.err);
  }

  end(notebook) {
    const untold = (notebook.errors || []).filter((error) => !this.told.has(error));  // of hooks
    for (const error of untold) this.tell(['(hooks)'], 'error', 0, error);
    say('end', this.failed);
  }

  tell(names, outcome, milliseconds, error) {
    this.told.add(error);
    const message = text(error === true ? undefined : error);
    if (outcome === 'failed' || outcome === 'error') this.failed += 1;
    say('case', '', names.map(String), outcome, (milliseconds || 0) / 1000, message);
    print(`${outcome}: ${names.join(' > ')}`);
    if (message) print(message);
  }
};
