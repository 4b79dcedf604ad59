// Starts uvu, which takes no reporter and names no test that passes. Before a suite is run, its runner is bound to the
// tests and hooks (https://github.com/lukeed/uvu/blob/master/src/index.js), and so they are seen, however uvu is imported.
const uvu = installedAt('uvu');
if (!uvu) {
  console.error('uvu is not installed');
  process.exit(127);
}
const { folder: started, names } = JSON.parse(process.argv[2]);
const folder = path.resolve(started);
const command = path.join(uvu, 'bin.js');
process.argv = [process.argv[0], command, ...process.argv.slice(3)];
const wanted = names.length ? new RegExp(`^(?:${names.join('|')})$`) : null;
const now = process.hrtime.bigint;

let failed = 0;
let current = null;
const waiting = new Set();  // tests without an end
const tell = (file, title, outcome, seconds, message) => {
  if (outcome === 'failed' || outcome === 'error') failed += 1;
  say('case', rooted(file), title, outcome, seconds, message);
};
const loading = () => {
  const queue = globalThis.UVU_QUEUE || require(uvu).QUEUE || [];  // its own before 0.5
  const group = queue[globalThis.UVU_INDEX || 0] || [];
  return path.resolve(folder, typeof group[0] === 'string' ? group[0] : '');
};

const ended = (one) => {
  if (!waiting.delete(one)) return;
  const passed = one.went && one.rounds === 1;  // the hooks after a test run once more where one of them has failed
  const seconds = Number(now() - one.began) / 1e9;
  tell(one.file, one.title, passed ? 'passed' : 'failed', seconds, passed ? '' : text(one.error));
};
const noting = (called, ones) => async (...given) => {
  try {
    return await called(...given);
  } catch (error) {
    ones().forEach((one) => {
      one.error = one.error || error;
    });
    throw error;
  }
};
const watched = (test, file, title) => {
  const one = { file, title, rounds: 0, began: now() };
  waiting.add(one);
  const handler = noting(test.handler, () => [one]);
  test.handler = async (...given) => {
    await handler(...given);
    one.went = true;
  };
  return one;
};
const watch = (suite, name) => {
  const file = loading();
  const titled = (test) => [name, test.name].filter(Boolean).map(String);
  const chosen = suite.only.length ? 'only' : 'tests';
  if (chosen === 'only') suite.tests.forEach((test) => tell(file, titled(test), 'skipped', 0, ''));
  for (let left = suite.skips; left > 0; left -= 1) tell(file, [name, '(skipped)'].filter(Boolean), 'skipped', 0, '');
  suite[chosen] = suite[chosen].filter((test) => !wanted || wanted.test(titled(test).join(' ')));
  const all = suite[chosen].map((test) => watched(test, file, titled(test)));
  const order = [...all];
  const begin = () => {
    current = order.shift();
    current.began = now();
  };
  const round = () => {
    current.rounds += 1;
  };
  const each = (hook) => noting(hook, () => [current]);
  suite.before = suite.before.map((hook) => noting(hook, () => all));  // uvu says nothing of one that fails
  suite.bEach = [begin, ...suite.bEach.map(each)];
  suite.aEach = [round, ...suite.aEach.map(each), () => ended(current)];
};

const { bind } = Function.prototype;
Function.prototype.bind = function bound(self, ...given) {
  if (self === 0 && given.length === 2 && given[0] && Array.isArray(given[0].bEach)) watch(...given);
  return Reflect.apply(bind, this, [self, ...given]);
};

process.on('exit', (code) => {
  if (code && (!current || (!failed && !waiting.size))) {
    tell(current ? current.file : loading(), [], 'error', 0, 'The run ended here: what was printed says why.');
  }
  waiting.forEach((one) => tell(one.file, one.title, 'failed', 0, text(one.error) || 'It never came to its end.'));
  if (failed && !code) process.exitCode = 1;
  say('end', failed);
});
require('module').runMain();  // as if it had been started itself: `esm` looks at what was
