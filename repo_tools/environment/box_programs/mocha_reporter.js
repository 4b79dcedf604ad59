const titles = (runnable) => {
  const names = [];
  for (let at = runnable; at && at.title; at = at.parent) names.unshift(at.title);
  return names;
};
const fileOf = (runnable) => {
  for (let at = runnable; at; at = at.parent) if (at.file) return rooted(at.file);
  return '';
};

// The tests of a suite that are to run, as far as nobody has told of them.
const untold = (runner, suite, isTold) => {
  const left = [];
  suite.eachTest((test) => {
    const wanted = !runner._grep || runner._grep.test(test.fullTitle()) !== Boolean(runner._invert);
    if (wanted && !isTold(test)) left.push(test);
  });
  return left;
};
// Tests that a hook keeps from running, of which mocha says nothing, fail by it; where there are none, it does itself.
const keptBy = (runner, hook, told) => (
  hook.type === 'hook' && hook.parent ? untold(runner, hook.parent, (test) => told.has(test)) : []
);
// What is tried again is told of as a copy.
const named = (runnable) => JSON.stringify([fileOf(runnable), ...titles(runnable)]);
const neverBails = (suite) => {
  suite.bail(false);
  suite.suites.forEach(neverBails);
};

const unloadable = [];
let loading = 0;  // files that are being loaded
const unlessLoading = (code) => {
  if (loading) throw exitCalled(code);
  return code;
};
insteadOfExit(unlessLoading);
let allLoaded = () => {};

module.exports = class {
  constructor(runner) {
    allLoaded();
    const told = new Set();
    const names = new Set();
    const root = runner.suite;
    const begun = new Map();  // suites -> their tests when the first of them begins: hooks before may define some
    neverBails(root);
    const begins = (suite) => {
      if (suite && suite.tests && !begun.has(suite)) begun.set(suite, new Set(suite.tests));
    };
    runner.on('suite', (suite) => begins(suite.parent));
    runner.on('test', (test) => begins(test.parent));
    runner.on('pending', (test) => begins(test.parent));
    // A test that another one defines is never begun, and mocha says nothing of it.
    const isLate = (test) => begun.has(test.parent) && !begun.get(test.parent).has(test);
    const left = () => untold(runner, root, (test) => names.has(named(test)) || isLate(test));
    const tell = (outcome) => (runnable, error, hook) => {
      told.add(runnable);
      names.add(named(runnable));
      const message = hook ? `${hook.title}: ${text(error)}` : text(error);
      say('case', fileOf(runnable), titles(runnable), outcome, (runnable.duration || 0) / 1000, message);
      print(`${outcome}: ${titles(runnable).join(' > ')}`);
      if (message) print(message);
    };
    let failed = 0;
    runner.on('pass', (test) => {
      const exit = exitOf(true);
      failed += exit ? 1 : 0;
      runner.failures += exit ? 1 : 0;
      tell(exit ? 'failed' : 'passed')(test, exit);
    });
    runner.on('pending', tell('skipped'));
    runner.on('fail', (runnable, error) => {
      exitOf(false);
      const kept = keptBy(runner, runnable, told);
      const red = kept.filter((test) => !test.pending);
      kept.filter((test) => test.pending).forEach((test) => tell('skipped')(test));
      red.forEach((test) => tell('failed')(test, error, runnable));
      if (!red.length) tell('failed')(runnable, error);
      failed += red.length || 1;
    });
    const end = () => {
      for (const { file, error } of unloadable) {
        say('case', rooted(file), [], 'error', 0, text(error));
        print(`error: ${rooted(file)}\n${text(error)}`);
      }
      failed += unloadable.length;
      runner.failures += unloadable.length;
      // An interrupt ends the run early; so do old releases that an error in a hook, which nobody waits for, sends on twice.
      const cut = left();
      if (cut.length) say('cut', cut.length, fileOf(cut[0]), titles(cut[0]));
      else say('end', failed);
      insteadOfExit(unlessLoading);
    };
    runner.on('end', () => {
      end();
      endedSoon(failed);
    });
    insteadOfExit((code) => {
      if (left().length) throw exitCalled(code);
      end();
      return code || (failed ? 1 : 0);
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

// A file that cannot be loaded is red, and hides no other: mocha would end there. Suites that it left open are closed by
// choosing the interface anew. The loader's own function is there from mocha 8 on; before, files are what it requires.
const keepsOnLoading = (mocha, loader) => {
  const { prototype } = mocha.exports;
  const { ui } = prototype;
  prototype._growl = () => {}; // which reads what other reporters count
  let anew = () => {};
  prototype.ui = function chosen(...given) {
    anew = () => ui.apply(this, given);
    return ui.apply(this, given);
  };
  const left = (file, error) => {
    exitOf(false);
    unloadable.push({ file, error });
    anew();
    return {};
  };
  const own = loader && loader.exports.requireOrImport;
  if (own) {
    loader.exports.requireOrImport = (file, ...rest) => {
      loading += 1;
      return own(file, ...rest).catch((error) => left(file, error)).finally(() => { loading -= 1; });
    };
  }
  const Module = module.constructor;
  const { _load: load } = Module;
  const parents = (own ? [mocha] : [mocha, loader]).filter(Boolean);
  const loadOrLeave = function loadOrLeave(file, parent, ...rest) {
    if (!path.isAbsolute(file) || !parents.includes(parent)) return load.call(this, file, parent, ...rest);
    loading += 1;
    try {
      return load.call(this, file, parent, ...rest);
    } catch (error) {
      if (parent === loader && error.code === 'ERR_REQUIRE_ESM') throw error;  // which mocha 7 imports next
      return left(file, error);
    } finally {
      loading -= 1;
    }
  };
  Module._load = loadOrLeave;
  allLoaded = () => {
    if (Module._load === loadOrLeave) Module._load = load;
  };
};
const loaded = (name) => Object.values(require.cache).find((one) => name.test(one.filename));
const mocha = loaded(/\/mocha\/lib\/mocha\.js$/);
if (mocha) keepsOnLoading(mocha, loaded(/\/mocha\/lib\/(?:nodejs\/)?esm-utils\.js$/));
