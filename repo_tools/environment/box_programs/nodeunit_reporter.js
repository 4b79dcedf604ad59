const nodeunit = require(installedAt('nodeunit') || installedAt('nodeunit-x'));

const shown = (assertion) => text(assertion.error || assertion.message);

const tell = (file, names, outcome, milliseconds, message) => {
  say('case', rooted(file), names.map(String), outcome, milliseconds / 1000, message);
  print(`${outcome}: ${names.join(' > ') || rooted(file)}`);
  if (message) print(message);
};

// Of one file; what never calls test.done() is red, and ends the run: nodeunit waits for it.
class FileRun {
  constructor(file) {
    this.file = file;
    this.open = new Map();
    this.failed = 0;
  }

  heard(options) {
    return nodeunit.types.options({
      testspec: options.testspec,
      testFullSpec: options.testFullSpec,
      testStart: (name) => this.open.set(String(name), [name, Date.now()]),
      testDone: (name, assertions) => this.ended(name, assertions),
    });
  }

  ended(name, assertions) {
    const [, started] = this.open.get(String(name)) || [name, Date.now()];
    this.open.delete(String(name));
    const red = assertions.filter((assertion) => assertion.failed());
    this.failed += red.length ? 1 : 0;
    tell(this.file, [].concat(name), red.length ? 'failed' : 'passed', Date.now() - started, red.map(shown).join('\n'));
  }

  left() {
    for (const [name, started] of this.open.values()) {
      this.failed += 1;
      tell(this.file, [].concat(name), 'failed', Date.now() - started, 'It never called test.done().');
    }
    this.open.clear();
  }
}

exports.run = (paths, options, callback) => {
  let failed = 0;
  let running;
  process.on('exit', () => {
    if (!running) return;
    running.left();
    say('end', failed + running.failed);
    process.exitCode = 1;
  });
  const each = (files) => {
    running = undefined;
    if (!files.length) {
      say('end', failed);
      return callback(failed ? new Error(`${failed} failed`) : undefined);
    }
    const [file, ...rest] = files;
    let suite;
    try {
      suite = require(file);
    } catch (error) {
      failed += 1;
      tell(file, [], 'error', 0, text(error));
      return each(rest);
    }
    running = new FileRun(file);
    return nodeunit.runModule(path.basename(file), suite, running.heard(options), () => {
      failed += running.failed;
      each(rest);
    });
  };
  nodeunit.utils.modulePaths(paths.map((one) => path.resolve(one)), (error, files) => {
    if (error) throw error;
    each(files.map((file) => require.resolve(file)));
  }, options.recursive);
};
