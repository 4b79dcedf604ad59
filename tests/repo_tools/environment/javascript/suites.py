"""One repository with a suite for each runner, so that one installation serves them all."""

import json
from collections.abc import Mapping

VERSIONS = {
    "ava": "5.3.1",
    "jasmine": "5.13.0",
    "jest": "29.7.0",
    "mocha": "10.8.2",
    "qunit": "2.24.1",
    "tape": "5.9.0",
    "uvu": "0.5.6",
    "vitest": "2.1.9",
    "vows": "0.8.3",
}
OTHERS = {
    "@hapi/lab": "25.3.2",
    "@japa/runner": "3.1.4",
    "jasmine-node": "3.0.0",
    "japa": "3.1.1",
    "nodeunit": "0.9.1",
    "tap": "16.3.10",
}
"""Only long proofs run these: half of all that would be installed."""


def manifests(versions: Mapping[str, str]) -> dict[str, str]:
    """One layer serves all tests that want just these."""
    manifest = {"name": "five", "version": "1.0.0", "scripts": {"test": "mocha"}, "devDependencies": versions}
    return {"package.json": json.dumps(manifest), ".taprc": "timeout: 3600\n"}


MANIFESTS = manifests(VERSIONS)
WITH_OTHERS = manifests({**VERSIONS, **OTHERS})

FILES = {
    **MANIFESTS,
    "sum.js": "module.exports = (numbers) => numbers.reduce((one, other) => one + other, 0);\n",
    "mocha/a.test.js": """
const assert = require('assert');
describe('outer', () => {
  describe('inner', () => {
    it('adds (all) of them', () => assert.equal(require('../sum')([1, 2]), 3));
    it('fails', () => assert.equal(1, 2));
    it.skip('later');
  });
  it('says $1 > $2', () => {});
});
""",
    "mocha/b.test.js": """
describe('hook', () => {
  before(() => { throw new Error('boom'); });
  it('never runs', () => {});
  it.skip('later', () => {});
  describe('inner', () => {
    it('never runs', () => {});
    after(() => { throw new Error('after all'); });
  });
});
describe('each', () => {
  let times = 0;
  beforeEach(() => { times += 1; if (times === 2) throw new Error('boom'); });
  it('runs', () => {});
  it('is kept', () => {});
  it('is kept, too', () => {});
});
describe('leaving', () => {
  after(() => { throw new Error('after'); });
  it('runs', () => {});
});
""",
    "node/a.test.js": """
const { test, describe, it } = require('node:test');
const assert = require('assert');
test('top', () => {});
describe('suite', () => {
  it('inner', () => {});
  it('bad', () => assert.equal(1, 2));
  it.skip('later', () => {});
});
test('parent', async (t) => { await t.test('child', () => {}); });
test('some day', { todo: true }, () => { throw new Error('not yet'); });
""",
    "node/b.test.js": """
require('node:test').test('top', () => {});
process.on('exit', () => { process.exitCode = 1; });
""",
    "node/script.test.js": "console.log('a script without tests in it');\n",
    "tape/a.js": """
const test = require('tape');
test('one', (t) => { t.plan(2); t.ok(true, 'yes'); t.equal(1, 1); });
test('two', (t) => { console.log('ok I print'); t.equal(1, 2, 'one is two'); t.end(); });
test('three', (t) => { t.pass(); t.end(); });
""",
    "tape/b.js": "require('nothing-there');\n",
    "ava/test/a.js": """
const test = require('ava');
test('one', (t) => { t.log('# told'); t.pass(); });
test('two', (t) => { console.log('ok 1 - I print'); t.is(1, 2); });
test.skip('three', (t) => t.pass());
test.todo('four');
""",
    "ava/test/b.js": "throw new Error('at load');\n",
    "ava/test/helpers/h.js": "module.exports = 1;\n",
    "ava/test/deep/a.js": """
const test = require('ava');
test.before('set up', () => { throw new Error('boom'); });
test('one', (t) => t.pass());
""",
    "ava/test/leaves.js": """
require('ava')('leaves', async () => { await Promise.resolve(); process.exit(0); });
""",
    "ava/test/waits.js": "require('ava')('one', () => new Promise(() => {}));\n",
    "ava/test/_helper.js": "module.exports = 1;\n",
    "jasmine/a.spec.js": """
describe('outer', () => {
  it('adds', () => expect(require('../sum')([1, 2])).toBe(3));
  it('bad', () => expect(1).toBe(2));
  xit('later', () => {});
  describe('inner', () => { afterAll(() => { throw new Error('after'); }); it('runs', () => expect(1).toBe(1)); });
});
""",
    "jasmine/b.spec.js": "describe('at load', () => { throw new Error('boom'); });\n",
    "qunit/a.js": """
QUnit.module('outer', () => {
  QUnit.test('adds (all) of them', (assert) => assert.equal(require('../sum')([1, 2]), 3));
  QUnit.module('inner', () => {
    QUnit.test('fails', (assert) => { assert.ok(true); assert.equal(1, 2, 'one is two'); });
    QUnit.skip('later', () => {});
    QUnit.todo('some day', (assert) => assert.ok(false));
    QUnit.test.each('twice', [1, 2], (assert, value) => assert.ok(value));
  });
});
QUnit.module('leaving', (hooks) => {
  hooks.after(() => { throw new Error('after'); });
  QUnit.test('runs', (assert) => assert.ok(true));
});
""",
    "qunit/b.js": """
const { test } = QUnit;
test('alone', (assert) => { console.log('ok 1 I print'); assert.ok(true); setInterval(() => {}, 1000); });
""",
    "qunit/c.js": "throw new Error('at load');\n",
    "nodeunit/a.js": """
const sum = require('../sum');
exports['adds (all) of them'] = function (test) {
  test.expect(1);
  test.equal(sum([1, 2]), 3);
  setTimeout(test.done, 1);
};
exports.fails = function (test) { test.equal(1, 2, 'not the same'); test.done(); };
exports.group = {
  setUp: function (callback) { callback(new Error('refused')); },
  refused: function (test) { test.done(); },
};
""",
    "nodeunit/b.js": "throw new Error('at load');\n",
    "nodeunit/c.js": """
exports.first = function (test) { test.ok(true); test.done(); };
exports.waits = function (test) { test.ok(true); };
""",
    "lab/a.js": """
const { describe, it } = (exports.lab = require('@hapi/lab').script());
global.leaked = true;
describe('outer', () => {
  describe('inner', () => {
    it('adds (all) of them', () => { if (require('../sum')([1, 2]) !== 3) throw new Error('no'); });
    it('fails', () => { throw new Error('boom'); });
    it.skip('later', () => {});
  });
  it('some day');
});
""",
    "lab/b.js": """
const { describe, it, before, after } = (exports.lab = require('@hapi/lab').script());
describe('hook', () => {
  before(() => { throw new Error('before'); });
  it('never runs', () => {});
});
describe('other hook', () => {
  after(() => { throw new Error('after'); });
  it('runs', () => {});
});
""",
    "jest/a.test.js": """
describe('outer', () => {
  test('adds', () => expect(require('../sum')([1, 2])).toBe(3));
  test('bad', () => expect(1).toBe(2));
  test.skip('later', () => {});
});
""",
    "jest/b.test.js": "throw new Error('at load');\n",
    "uvu/a.js": """
const { suite, test } = require('uvu');
const assert = require('uvu/assert');
const outer = suite('outer');
outer('adds (all) of them', () => assert.is(require('../sum')([1, 2]), 3));
outer('fails', async () => { await null; assert.equal([1], [2]); });
outer.skip('later', () => {});
outer.run();
test('alone', () => {});
test.run();
const left = suite('leaving');
let times = 0;
left.after.each(() => { times += 1; if (times === 1) throw new Error('boom'); });
left('first', () => {});
left('second', () => {});
left.run();
const refused = suite('refused');
refused.before.each(() => { throw new Error('not today'); });
refused('never runs', () => {});
refused.run();
""",
    "uvu/b.mjs": """
import { suite } from 'uvu';
const only = suite('only');
only.only('this', () => {});
only('not that', () => { throw new Error('never'); });
only.run();
""",
    "vows/a.js": """
const assert = require('assert');
require('vows').describe('outer').addBatch({
  'when asked': {
    topic: 3,
    'adds (all) of them': (sum) => assert.equal(require('../sum')([1, 2]), sum),
    'fails': (sum) => assert.equal(sum, 4),
    'later': 'pending',
    'and deeper': {
      topic: function () { setTimeout(this.callback, 5, null, 1); },
      'waits': (error, number) => assert.equal(number, 1),
    },
  },
}).addBatch({ 'after that': { topic: 1, 'throws': () => { throw new Error('no'); } } }).export(module);
""",
    "vows/b.js": """
require('vows').describe('silent').addBatch({
  'a topic': { topic: function () { this.callback; }, 'is never called': () => {} },
}).export(module);
""",
    "japa/all.mjs": """
import { configure, processCLIArgs, run } from '@japa/runner';
processCLIArgs(process.argv.splice(2));
configure({ files: ['japa/*.spec.mjs'] });
run();
""",
    "japa/a.spec.mjs": """
import { test } from '@japa/runner';
test.group('outer', () => {
  test('adds (all) of them', () => {});
  test('fails', () => { throw new Error('no'); });
  test('later', () => {}).skip();
  test('takes {name}').with([{ name: 'one' }, { name: 'two' }]).run(() => {});
  test('known bug', () => { throw new Error('still'); }).fails();
  test('mended bug', () => {}).fails();
});
test('alone', () => {});
""",
    "japa/b.spec.mjs": """
import { test } from '@japa/runner';
test.group('hook', (group) => {
  group.setup(() => { throw new Error('boom'); });
  test('never runs', () => {});
});
""",
    "japa_of_before/all.js": "require('japa').configure({ files: ['japa_of_before/*.spec.js'] });",
    "japa_of_before/a.spec.js": """
const test = require('japa');
test.group('outer', (group) => {
  group.beforeEach(() => {});
  test('adds (all) of them', () => {});
  test('fails', async () => { throw new Error('no'); });
  test.skip('later', () => {});
});
test('alone', () => {});
""",
    "japa_of_before/b.spec.js": """
const test = require('japa');
test.group('hook', (group) => {
  group.before(() => { throw new Error('boom'); });
  test('never runs', () => {});
});
""",
    "vitest/a.test.mjs": """
import { describe, expect, test } from 'vitest';
describe('outer', () => {
  test('adds', () => { expect(1).toBe(1); });
  test('bad', () => expect(1).toBe(2));
  test.skip('later', () => {});
});
""",
    "vitest/b.test.mjs": "throw new Error('at load');\n",
    "vitest/c.test.mjs": """
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
describe('hook', () => {
  beforeAll(() => { throw new Error('boom'); });
  test('never runs', () => {});
  describe('inner', () => {
    test('never runs', () => {});
  });
});
describe('each', () => {
  beforeEach(() => { throw new Error('boom'); });
  test('is kept', () => {});
});
describe('leaving', () => {
  afterAll(() => { throw new Error('after'); });
  test('runs', () => {});
  test.skip('later', () => {});
});
""",
    "jasmine_node/a.spec.js": """
describe('outer', function () {
  it('adds (all) of them', function () { expect(require('../sum')([1, 2])).toBe(3); });
  describe('inner', function () {
    it('bad', function () { expect(1).toBe(2); });
    it('waits', function (done) { setTimeout(done, 5); });
    xit('later', function () {});
  });
});
""",
    "jasmine_node/b.spec.js": """
describe('thrown', function () {
  it('breaks', function () { throw new Error('boom'); });
});
""",
    "jasmine_node/c.spec.js": "require('./nothing');",
    "jasmine_node/broken.js": "throw new Error('broken');",
    "jasmine_node/d.spec.js": """
describe('product', function () {
  it('loads', function () { require('./broken'); });
  it('refuses', function () { expect(function () { require('./broken'); }).toThrow(); });
});
""",
    "vitest/d.test.mjs": """
import { beforeAll, test } from 'vitest';
beforeAll(() => { throw new Error('boom'); });
test('never runs', () => {});
""",
}
COMMANDS = {
    "mocha": ("mocha", "mocha/*.test.js"),
    "node_test": ("node", "--test", "node/*.test.js"),
    "tap": ("tape", "tape/*.js"),
    "ava": ("ava", "--timeout=5m", "ava/test/**/*.js"),
    "jasmine": ("jasmine", "jasmine/*.spec.js"),
    "jasmine_node": ("jasmine-node", "--junitreport", "--output", "out", "--forceexit", "jasmine_node"),
    "qunit": ("qunit", "--reporter", "tap", "qunit"),
    "uvu": ("uvu", "--bail", "uvu"),
    "japa": ("node", "--enable-source-maps", "japa/all.mjs", "--force-exit"),
    "vows": ("vows", "vows/*.js", "--isolate", "--spec"),
    "lab": ("lab", "-vcL", "-t", "100", "lab"),
    "nodeunit": ("nodeunit", "--reporter", "junit", "--output", "out", "nodeunit"),
    "jest": ("jest", "--testMatch", "**/jest/*.test.js"),
    "vitest": ("vitest", "--dir", "vitest"),
}
"""Of each runner, as a script would have it."""
OUTCOMES = {
    "mocha": {
        "mocha/a.test.js::outer > inner > adds (all) of them": "passed",
        "mocha/a.test.js::outer > inner > fails": "failed",
        "mocha/a.test.js::outer > inner > later": "skipped",
        "mocha/a.test.js::outer > says $1 > $2": "passed",
        "mocha/b.test.js::hook > never runs": "failed",
        "mocha/b.test.js::hook > later": "skipped",
        "mocha/b.test.js::hook > inner > never runs": "failed",
        "mocha/b.test.js::each > runs": "passed",
        "mocha/b.test.js::each > is kept": "failed",
        "mocha/b.test.js::each > is kept, too": "failed",
        "mocha/b.test.js::leaving > runs": "passed",
        'mocha/b.test.js::leaving > "after all" hook for "runs"': "failed",
    },
    "node_test": {
        "node/a.test.js::top": "passed",
        "node/a.test.js::suite > inner": "passed",
        "node/a.test.js::suite > bad": "failed",
        "node/a.test.js::suite > later": "skipped",
        "node/a.test.js::parent": "passed",
        "node/a.test.js::parent > child": "passed",
        "node/a.test.js::some day": "skipped",
        "node/b.test.js::top": "passed",
        "node/b.test.js::(file)": "failed",
        "node/script.test.js::(file)": "passed",
    },
    "tap": {
        "tape/a.js::one": "passed",
        "tape/a.js::two": "failed",
        "tape/a.js::three": "passed",
        "tape/b.js": "error",
    },
    "ava": {
        "ava/test/a.js::one": "passed",
        "ava/test/a.js::two": "failed",
        "ava/test/a.js::three": "skipped",
        "ava/test/a.js::four": "skipped",
        "ava/test/b.js": "error",
        "ava/test/deep/a.js::set up": "failed",
        "ava/test/deep/a.js::one": "failed",
        "ava/test/leaves.js": "error",
        "ava/test/leaves.js::leaves": "failed",
        "ava/test/waits.js::one": "failed",
    },
    "jasmine": {
        "jasmine/a.spec.js::outer > adds": "passed",
        "jasmine/a.spec.js::outer > bad": "failed",
        "jasmine/a.spec.js::outer > later": "skipped",
        "jasmine/a.spec.js::outer > inner": "error",
        "jasmine/a.spec.js::outer > inner > runs": "passed",
        "jasmine/b.spec.js::at load": "error",
    },
    "jasmine_node": {
        "jasmine_node/a.spec.js::outer > adds (all) of them": "passed",
        "jasmine_node/a.spec.js::outer > inner > bad": "failed",
        "jasmine_node/a.spec.js::outer > inner > waits": "passed",
        "jasmine_node/b.spec.js::thrown > breaks": "failed",
        "jasmine_node/c.spec.js": "error",
        "jasmine_node/d.spec.js::product > loads": "failed",
        "jasmine_node/d.spec.js::product > refuses": "passed",
    },
    "qunit": {
        "qunit/a.js::outer > adds (all) of them": "passed",
        "qunit/a.js::outer > inner > fails": "failed",
        "qunit/a.js::outer > inner > later": "skipped",
        "qunit/a.js::outer > inner > some day": "skipped",
        "qunit/a.js::outer > inner > twice [0: 1]": "passed",
        "qunit/a.js::outer > inner > twice [1: 2]": "passed",
        "qunit/a.js::leaving > runs": "failed",
        "qunit/b.js::alone": "passed",
        "qunit/c.js": "error",
    },
    "lab": {
        ".::outer > inner > adds (all) of them": "passed",
        ".::outer > inner > fails": "failed",
        ".::outer > inner > later": "skipped",
        ".::outer > some day": "skipped",
        ".::hook > never runs": "failed",
        ".::other hook > runs": "passed",
        ".::other hook > runs #2": "failed",  # lab's own: once more, for the hook
        ".::(hooks)": "error",
        ".::(hooks) #2": "error",
    },
    "nodeunit": {
        "nodeunit/a.js::adds (all) of them": "passed",
        "nodeunit/a.js::fails": "failed",
        "nodeunit/a.js::group > refused": "failed",
        "nodeunit/b.js": "error",
        "nodeunit/c.js::first": "passed",
        "nodeunit/c.js::waits": "failed",
    },
    "uvu": {
        "uvu/a.js::outer > adds (all) of them": "passed",
        "uvu/a.js::outer > fails": "failed",
        "uvu/a.js::outer > (skipped)": "skipped",
        "uvu/a.js::alone": "passed",
        "uvu/a.js::leaving > first": "failed",  # a hook fails once; uvu runs it once more
        "uvu/a.js::leaving > second": "passed",
        "uvu/a.js::refused > never runs": "failed",
        "uvu/b.mjs::only > this": "passed",
        "uvu/b.mjs::only > not that": "skipped",
    },
    "vows": {
        "vows/a.js::outer > when asked > adds (all) of them": "passed",
        "vows/a.js::outer > when asked > fails": "failed",
        "vows/a.js::outer > when asked > later": "skipped",
        "vows/a.js::outer > when asked and deeper > waits": "passed",
        "vows/a.js::outer > after that > throws": "failed",
        "vows/b.js::silent > a topic > is never called": "failed",
    },
    "japa": {
        "japa/a.spec.mjs::outer > adds (all) of them": "passed",
        "japa/a.spec.mjs::outer > fails": "failed",
        "japa/a.spec.mjs::outer > later": "skipped",
        "japa/a.spec.mjs::outer > takes one": "passed",
        "japa/a.spec.mjs::outer > takes two": "passed",
        "japa/a.spec.mjs::outer > known bug": "passed",
        "japa/a.spec.mjs::outer > mended bug": "failed",
        "japa/a.spec.mjs::alone": "passed",
        "japa/b.spec.mjs::hook > (setup)": "error",
    },
    "jest": {
        "jest/a.test.js::outer > adds": "passed",
        "jest/a.test.js::outer > bad": "failed",
        "jest/a.test.js::outer > later": "skipped",
        "jest/b.test.js": "error",
    },
    "vitest": {
        "vitest/a.test.mjs::outer > adds": "passed",
        "vitest/a.test.mjs::outer > bad": "failed",
        "vitest/a.test.mjs::outer > later": "skipped",
        "vitest/b.test.mjs": "error",
        "vitest/c.test.mjs::hook > never runs": "failed",
        "vitest/c.test.mjs::hook > inner > never runs": "failed",
        "vitest/c.test.mjs::each > is kept": "failed",
        "vitest/c.test.mjs::leaving": "error",
        "vitest/c.test.mjs::leaving > runs": "passed",
        "vitest/c.test.mjs::leaving > later": "skipped",
        "vitest/d.test.mjs::never runs": "failed",
    },
}
