const titles = (runnable) => {
  const names = [];
  for (let at = runnable; at && at.title; at = at.parent) names.unshift(at.title);
  return names;
};
const fileOf = (runnable) => {
  for (let at = runnable; at; at = at.parent) if (at.file) return rooted(at.file);
  return '';
};

module.exports = class {
  constructor(runner) {
    const tell = (outcome) => (runnable, error) => {
      const message = text(error);
      say('case', fileOf(runnable), titles(runnable), outcome, (runnable.duration || 0) / 1000, message);
      console.log(`${outcome}: ${titles(runnable).join(' > ')}`);
      if (message) console.log(message);
    };
    let failed = 0;
    runner.on('pass', tell('passed'));
    runner.on('pending', tell('skipped'));
    runner.on('fail', (runnable, error) => {
      failed += 1;
      tell('failed')(runnable, error);
    });
    runner.on('end', () => {
      say('end', failed);
      endedSoon(failed);
    });
  }
};

// A program of the repository that starts mocha by itself reports through this all the same, and runs what is wanted.
if (process.env.AGENT_FIX_IN_PROGRAM) {
  const { paths, pattern } = JSON.parse(process.env.AGENT_FIX_IN_PROGRAM);
  delete process.env.AGENT_FIX_IN_PROGRAM;
  const { prototype } = require(installedAt('mocha'));
  const { addFile, reporter, run } = prototype;
  const folder = process.cwd();
  const isBelow = (file, place) => file === place || file.startsWith(path.join(place, path.sep));
  const isWanted = (file) => !paths.length || paths.some((one) => isBelow(path.resolve(file), path.resolve(folder, one)));
  prototype.reporter = function ours() { return reporter.call(this, module.exports); };
  prototype.bail = function never() { return this; };
  prototype.addFile = function add(file) { return isWanted(file) ? addFile.call(this, file) : this; };
  prototype.run = function start(...given) {
    if (pattern) this.grep(new RegExp(pattern));
    return run.apply(this, given);
  };
}
