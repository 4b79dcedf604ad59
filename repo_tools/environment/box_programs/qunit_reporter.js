// QUnit tells no test's file: it is the one that the definition was called from.
const places = new Map();
const placeOf = (error) => {
  const own = String(error && error.stack).match(/\/workspace\/[^\n]*?(?=:\d+:\d+)/g) || [];
  return own.find((file) => !file.includes('/node_modules/')) || '';
};
const key = (suite, name) => JSON.stringify([suite, name]);
const NOT_LOADED = /^Failed to load (?:the test )?file\b/;  // before 2.17: a test, in a module called like the file
const OUTCOMES = { passed: 'passed', failed: 'failed' };

const noting = (QUnit, define) => {
  const noted = function (name, ...rest) {
    const suite = QUnit.config.currentModule.name;
    const file = placeOf(new Error());
    if (!places.has(key(suite, name))) places.set(key(suite, name), file);
    if (!places.has(key(suite))) places.set(key(suite), file);
    return define.call(this, name, ...rest);
  };
  for (const part of Object.keys(define)) {
    noted[part] = typeof define[part] === 'function' ? noting(QUnit, define[part]) : define[part];
  }
  return noted;
};

class Reporter {
  constructor(QUnit) {
    this.failed = 0;
    for (const name of ['test', 'skip', 'todo', 'only']) {
      if (QUnit[name]) QUnit[name] = noting(QUnit, QUnit[name]);
    }
    insteadOfExit((code) => { throw exitCalled(code); });
    QUnit.on('testEnd', (test) => this.testEnd(test));
    try {
      QUnit.on('error', (error) => this.uncaught(error));
    } catch (older) {
      // Before 2.17 there is no such event: what nobody caught is a failed test there.
    }
    QUnit.on('runEnd', () => {
      say('end', this.failed);
      insteadOfExit((code) => code);
      endedSoon();
    });
  }

  uncaught(error) {
    const file = placeOf(error);
    this.tell(file, file ? [] : ['(uncaught error)'], 'error', 0, text(error));
  }

  testEnd(test) {
    const suite = test.fullName.slice(0, -1).join(' > ');
    const exit = exitOf(test.status === 'passed');
    const reasons = [...test.errors, ...(exit ? [exit] : [])].map((error) => {
      const values = 'expected' in error ? `\nexpected: ${shown(error.expected)}\nactual: ${shown(error.actual)}` : '';
      return `${error.message || ''}${values}\n${error.stack || ''}`.trim();
    });
    const place = places.get(key(suite, test.name)) || places.get(key(suite));
    const seconds = (test.runtime || 0) / 1000;
    const outcome = exit ? 'failed' : OUTCOMES[test.status] || 'skipped';
    if (NOT_LOADED.test(test.name)) this.tell(test.fullName.slice(-2)[0], [], 'error', seconds, test.name);
    else this.tell(place || '', test.fullName, outcome, seconds, outcome === 'failed' ? text(reasons.join('\n')) : '');
  }

  tell(file, names, outcome, seconds, message) {
    if (outcome === 'failed' || outcome === 'error') this.failed += 1;
    say('case', file && rooted(file), names, outcome, seconds, message);
    print(`${outcome}: ${[...names].join(' > ')}`);
    if (message) print(message);
  }
}

const shown = (value) => {
  try {
    return String(JSON.stringify(value));
  } catch (unshowable) {
    return String(value);
  }
};

module.exports = { init: (QUnit) => new Reporter(QUnit) };
