const STATES = { pass: 'passed', fail: 'failed' };
const faults = (task) => task.result?.errors ?? [task.result?.error].filter(Boolean);  // one alone before 0.28
const when = (error) => {
  const { VITEST_TEST_NAME: name, VITEST_TEST_PATH: file } = error ?? {};
  return name && file ? `While ${name} of ${rooted(file)} ran: ` : '';
};
const hasRun = (task) => (task.tasks ? task.tasks.some(hasRun) : task.result?.state in STATES);

module.exports = class {
  onFinished(files = [], errors = []) {
    this.end(files, errors);
  }

  onTestRunEnd(modules = [], errors = []) {
    this.end(modules.map((one) => one.task), errors);
  }

  end(files, errors) {
    if (this.ended) return;  // some releases call both
    this.ended = true;
    this.failed = 0;
    for (const file of files) this.file(file);
    for (const error of errors) this.say('', [], 'error', 0, when(error) + text(error));
    say('end', this.failed);
  }

  say(file, names, outcome, seconds, message) {
    if (outcome === 'failed' || outcome === 'error') this.failed += 1;
    say('case', file, names, outcome, seconds, message);
  }

  file(task) {
    this.suite(rooted(task.filepath), [], task, []);
  }

  // Tests that a hook around all of them keeps from running, of which vitest says that they are skipped, fail by it.
  suite(file, names, task, above) {
    const errors = faults(task);
    const hooks = above.length || hasRun(task) ? above : errors;
    const kept = (task.tasks ?? []).map((one) => this.task(file, [...names, one.name], one, hooks)).some(Boolean);
    if (errors.length && !kept) this.say(file, names, 'error', 0, errors.map(text).join('\n'));
    return kept;
  }

  task(file, names, task, hooks) {
    if (task.type === 'suite') return this.suite(file, names, task, hooks);
    const outcome = hooks.length ? 'failed' : STATES[task.result?.state] ?? 'skipped';
    const errors = hooks.length ? hooks : faults(task);
    this.say(file, names, outcome, (task.result?.duration ?? 0) / 1000, errors.map(text).join('\n'));
    return hooks.length > 0;
  }
};
