const STATES = { pass: 'passed', fail: 'failed' };
const faults = (task) => task.result?.errors ?? [task.result?.error].filter(Boolean);  // one alone before 0.28

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
    for (const error of errors) this.say('', [], 'error', 0, text(error));
    say('end', this.failed);
  }

  say(file, names, outcome, seconds, message) {
    if (outcome === 'failed' || outcome === 'error') this.failed += 1;
    say('case', file, names, outcome, seconds, message);
  }

  file(task) {
    const name = rooted(task.filepath);
    this.tasks(name, [], task.tasks ?? []);
    const errors = faults(task);
    if (errors.length) this.say(name, [], 'error', 0, errors.map(text).join('\n'));
  }

  tasks(file, above, tasks) {
    for (const task of tasks) {
      const names = [...above, task.name];
      const errors = faults(task);
      if (task.type === 'suite') {
        this.tasks(file, names, task.tasks ?? []);
        if (errors.length) this.say(file, names, 'error', 0, errors.map(text).join('\n'));
      } else {
        const outcome = STATES[task.result?.state] ?? 'skipped';
        this.say(file, names, outcome, (task.result?.duration ?? 0) / 1000, errors.map(text).join('\n'));
      }
    }
  }
};
