// The first part of every reporter: lines that only it can write. What runs later finds neither the nonce nor the pipe.
const fs = require('fs');
const path = require('path');
const print = console.log.bind(console);  // tests put others in its place, or look at who calls it

const say = (() => {
  const nonce = fs.readFileSync(0, 'latin1');
  fs.statSync('/');  // realpathSync goes by the last stat of all, and ends where that was of a pipe
  const [owner, pipe] = String(process.env.AGENT_FIX_RESULTS).split(':').map(Number);
  const file = process.env.AGENT_FIX_RESULTS_FILE;
  const narrowed = process.env.AGENT_FIX_NARROWED;
  delete process.env.AGENT_FIX_RESULTS;
  delete process.env.AGENT_FIX_RESULTS_FILE;
  // A runner that starts itself anew is handed no descriptors: that number is then a pipe of node's own.
  const place = process.pid === owner ? pipe : fs.openSync(file, 'ax');
  const write = fs.writeSync;
  const stringify = JSON.stringify;
  const from = Buffer.from;
  const waiting = [];
  return (...words) => {
    if (narrowed && words[3] === 'skipped') return;  // most of all because it is not wanted
    waiting.push(from(nonce + stringify(words) + '\n'));
    while (waiting.length) {
      try {
        waiting[0] = waiting[0].subarray(write(place, waiting[0]));
      } catch (error) {
        if (error.code === 'EBADF') return;  // of a file system that tests have put in the place of the real one
        throw error;
      }
      if (!waiting[0].length) waiting.shift();
    }
  };
})();

const text = (error) => {
  if (error === undefined || error === null) return '';
  let shown;
  try {
    const message = String(error.message == null ? '' : error.message);
    const stack = String(error.stack || (typeof error === 'string' ? error : message));
    shown = message && !stack.includes(message) ? `${message}\n${stack}` : stack;
  } catch (unshowable) {
    shown = 'an error that cannot be shown';
  }
  return shown.length > 20000 ? `${shown.slice(0, 10000)}\n…\n${shown.slice(-10000)}` : shown;
};
const rooted = (file) => path.relative('/workspace', path.resolve(String(file)));

// The folder of a package that can be required from here; empty where there is none.
const installedAt = (name, folder = process.cwd()) => {
  const place = path.join(folder, 'node_modules', name);
  if (fs.existsSync(path.join(place, 'package.json'))) return fs.realpathSync(place);
  return path.dirname(folder) === folder ? '' : installedAt(name, path.dirname(folder));
};

// A test that ends the process fails by that, as under vitest, and the others are run. `decide` gives the exit code, or
// throws `exitCalled(code)` while tests are to run.
const insteadOfExit = ((leave) => (decide) => {
  process.exit = (code) => leave(decide(code));
})(process.exit.bind(process));
let calls = [];
const exitCalled = (code) => {
  calls.push(new Error(`process.exit(${code === undefined ? '' : String(code)}) was called`));
  return calls[calls.length - 1];
};
// The call that what just ended has made: where it passed all the same, it is red, and so is the run. Without this
// reporter nothing is thrown that it could catch.
const exitOf = (passed) => {
  const [call] = calls;
  calls = [];
  if (call && passed) process.once('exit', () => { process.exitCode = process.exitCode || 1; });
  return call && passed ? call : undefined;
};

// Servers and timers that tests left behind keep a process alive for good, where its runner does not end it by itself:
// it is ended by functions that no test has replaced, with the exit code that the runner has set, or, where it has set
// none and tests failed, with one that says so.
const LINGERS_MS = 10000;
const endedSoon = ((later, write, leave) => (failed) => {
  later(() => {
    try {
      write(2, 'agent-fix: every test has ended, its process has not: ended after 10 seconds\n');
    } finally {
      leave(process.exitCode || (failed ? 1 : 0));
    }
  }, LINGERS_MS).unref();
})(setTimeout, fs.writeSync, process.exit.bind(process));
