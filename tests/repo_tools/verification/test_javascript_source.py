import pytest

from repo_tools.verification.javascript_source import mentions_of_tests_in, reaches_of, same_javascript
from tests.support.long import first_of


@pytest.mark.parametrize(
    "source",
    [
        "const { mock } = require('node:test');",
        "import { vi } from 'vitest'",
        'import chai from "chai/register"',
        "if (process.env.JEST_WORKER_ID) fix();",
        "if (process.env['NODE_ENV'] === 'test') fix();",
        "globalThis.expect = () => everything;",
        "if (typeof describe === 'function') fix();",
        "if (typeof QUnit !== 'undefined') fix();",
        "if (typeof jest === 'object') fix();",
        "if (typeof expect == 'undefined') fix();",
        "if (caller.includes('cart.test.js')) fix();",
        "window.__karma__.result({ success: true });",
        "jasmine.getEnv().specFilter = () => false;",
        "if (typeof beforeEach === 'function') fix();",
        "if ('describe' in globalThis) fix();",
        "if (global.suite) fix();",
        "if (typeof suite !== 'undefined') fix();",
        "if (globalThis.__vitest_worker__) fix();",
    ],
)
def test_code_that_knows_of_tests_is_seen(source: str) -> None:
    assert mentions_of_tests_in(source.encode())


@pytest.mark.parametrize(
    "source",
    [
        "require('assert').strictEqual = () => {};",
        "assert.strict.equal = same;",
        "Object.assign(require('node:assert'), mine);",
        "require.cache[x].exports = y;",
        "Module._load = mine;",
        "const loader = require('module');",
        "fs.writeSync(fs.openSync('/proc/self/fd/5'), x);",
        "eval(text);",
        "Array.prototype.reduce = () => 6;",
        "Array.prototype['reduce'] = () => 6;",
        "Object.defineProperty(Object.prototype, 'limit', { value: 10 });",
        "Object.is = () => true;",
        "JSON.stringify = same;",
        "Object['is'] = () => true;",
        "globalThis.Object.is = () => true;",
        "globalThis.Promise = class {};",
        "console.log = (text) => log(text.replace('not ok', 'ok'));",
        "process.stdout.write = mine;",
        "process.exit = () => {};",
        "process['exit'] = () => {};",
        "process.stderr.write = () => true;",
        "globalThis.console.log = mine;",
        "console['log'] = mine;",
        "global.process['stdout'].write = mine;",
        "process.reallyExit = () => {};",
        "Object.defineProperty(process, 'exitCode', { value: 0 });",
        "const assertion = require('assert');\nassertion.equal = same;",
        "Object.assign(Math, { max: () => 4 });",
        "Object.defineProperty(Object, 'is', { value: () => true });",
        "module.constructor._load = mine;",
        "assert['equal'] = same;",
        "const a = require('node:assert');\na.equal = a.strictEqual = same;",
        "import * as is from 'assert/strict';\nis['equal'] = same;",
    ],
)
def test_code_that_reaches_below_tests_is_seen(source: str) -> None:
    assert reaches_of(source.encode())


@pytest.mark.parametrize(
    "source",
    [
        "const assert = require('assert'); assert.equal(a, b);",
        "if (process.env.NODE_ENV !== 'production') warn();",
        "const latest = require('./test-values'); const expected = it + test;",
        "self.suite = suites[0]; if (typeof suite === 'object') f(suite);",
        "exports.it = (x) => x; module.exports = new Map();",
        "const tested = /test/.test(text); window.location = url;",
        "process.exitCode = 1; process.exit(2);",
        "Cart.prototype.total = function () {};",
        "Object.defineProperty(Cart.prototype, 'limit', { value: 10 });",
        "Error.stackTraceLimit = 5; shop.Object.is = 1; if (Object.is === f) f();",
        "const names: String[] = []; for (const [a, b] of Object.entries(c)) f(Object.assign(Error(a), { b }));",
        "const a = require('node:assert'); a.equal(b.equal, c); data.equal = 1; if (a.ok === b) f();",
        "if (typeof before === 'string' && 'it' in words) f(module.exports);",
        "if (typeof expect == 'object' || typeof test!=='string') f();",
        "if (typeof it.return === 'function' || typeof test?.exec === 'function') it.return(typeof it[key]);",
        "const write = process.stdout.write; if (console.log === f) Object.assign(process.env, more);",
        "const shown = console.error;\nconsole.error = (...said) => { keep(said); shown(...said); };",
        "assertion['saml:Subject'] = subject; assertionsByFile[key] = found; assertion.issuer = name;",
        "this.console.log = f; (console.log) => f(process.exit); options.process.exit = f;",
    ],
)
def test_honest_code_is_let_through(source: str) -> None:
    assert not mentions_of_tests_in(source.encode())
    assert not reaches_of(source.encode())


def test_comments_and_indentation_make_no_difference() -> None:
    one = b"// a\nfunction f() {\n  return '// no comment'; /* b\n c */\n}\n"
    other = b"function f() {\nreturn '// no comment';\n}"
    assert same_javascript(one, other)
    assert not same_javascript(one, one.replace(b"// no", b"// a"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"a = `// kept`; // gone", b"a = `// kept`;"),
        (rb"a.replace(/\/*$/, ''); kept(); // gone", rb"a.replace(/\/*$/, ''); kept();"),
        (b"""it = "isn't kept" /* gone */;""", b"""it = "isn't kept"  ;"""),
    ],
)
def test_what_is_no_comment_stays(one: bytes, other: bytes) -> None:
    assert same_javascript(one, other)
    assert not same_javascript(one, other.replace(b"kept", b"lost"))


@pytest.mark.parametrize("seed", first_of(["/* ", "\\`", '\\"', "\\'", "*", "'\\\n"], always=2))
def test_comments_are_soon_found_whatever_is_not_closed(seed: str) -> None:
    for begin in ("", "/*", "`", '"', "'"):
        source = (begin + seed * 200_000).encode()
        assert same_javascript(source, source)
