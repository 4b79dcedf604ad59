"""What the programs are that JavaScript's scripts start, as far as it counts for tests. Pure."""

import re
from collections.abc import Collection

from repo_tools.environment.runners.javascript_command import program_name, split_operands
from repo_tools.environment.runners.node_test import NODE_WITH_VALUE

IDLE = frozenset((
    "eslint", "standard", "semistandard", "neostandard", "ts-standard", "xo", "prettier", "tslint", "jshint",
    "jscs", "biome", "oxlint", "dprint", "tsd", "tsd-check", "dtslint", "attw", "publint", "aud", "npm-audit",
    "ls-engines", "evalmd", "markdownlint", "remark", "codecov", "coveralls", "size-limit", "bundlesize",
    "depcheck", "knip", "madge", "cspell", "commitlint", "husky", "lint-staged", "echo", "true", ":", "exit",
    "eclint", "editorconfig-checker", "es-check", "check-dts", "type-coverage", "bundlewatch", "flow",
    "lockfile-lint", "license-checker", "installed-check", "snyk", "auditjs", "stylelint", "sort-package-json",
    "safe-publish-latest", "not-in-publish", "npmignore", "auto-changelog", "git", "dependency-check",
    "open-cli", "set", "wait", "lunte", "is-ci", "nsp", "eslint-ci", "jsxhint",
    "cost-of-modules", "es-shim-api", "hallmark", "gzip-size", "yaspeller", "textlint", "alex",
    "license-check-and-add", "gts", "svelte-check", "echint",
))  # fmt: skip
"""Programs that decide nothing about tests."""
CONTAINERS = ("docker", "docker-compose")
"""No box has any: the servers that they start stand beside it."""
IN_A_BROWSER = frozenset((
    "karma", "playwright", "cypress", "wtr", "web-test-runner", "airtap", "testling", "saucie", "zuul", "wdio",
    "mochify", "testem", "testcafe", "nightwatch", "jtr", "polendina", "tape-run", "browser-run", "protractor",
    "phantomjs", "mocha-phantomjs", "casperjs", "node-qunit-phantomjs", "mocha-headless-chrome", "mocha-chrome",
    "selenium-standalone", "webdriver-manager", "test-storybook", "electron-mocha", "vscode-test",
    "extest", "node-qunit-puppeteer",
))  # fmt: skip
"""Programs that run tests in a browser, which no sandbox has."""
BUILDERS = re.compile(
    r"(?:tsc|tsgo|rollup|babel|webpack|esbuild|tsup|unbuild|swc|rimraf|rm|mkdir|cp|cpy|shx|microbundle|bob|parcel|gulp"
    r"|grunt|tshy|vue-tsc|tsdown|copyfiles|ncp|del|del-cli|make|node-gyp|prebuildify|pkgroll|bili|vite|ncc|preconstruct"
    r"|peggy|pegjs|jison|npm|yarn|pnpm|ts-patch|tspc|stencil|ng|browserify|uglifyjs|terser)"
)
_DOWNLOADERS = ("curl", "wget")
_ELSEWHERE = re.compile(r"https?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1?\]|\$).*")
_IN_NODE = re.compile(r"(?:^|\s)(?:-t|--target)[= ]node\b")
_EDITORS = frozenset(("vscode", "vscode-test", "@vscode/test-electron", "@vscode/test-web"))
_STARTS_EDITOR = re.compile(r"(?:.*/)?(?:run-?tests?(?:\.[cm]?[jt]s)?|vscode/bin/test)", re.IGNORECASE)
"""As the generator of extensions calls it (https://code.visualstudio.com/api/working-with-extensions/testing-extension)."""
TASKS = ("grunt", "gulp", "make", "ng", "jake")
"""Programs that run tasks of a file of their own."""


def is_download(words: tuple[str, ...]) -> bool:
    """Of what is not on this machine: tests have no network, and most of them need nothing of it."""
    return words[0] in _DOWNLOADERS and any(map(_ELSEWHERE.match, words[1:]))


def needs_browser(words: tuple[str, ...]) -> bool:
    """Some of them also run tests in a page that node makes up (https://github.com/jsdom/jsdom). Node may be told to
    start one: ``node node_modules/karma/bin/karma start``."""
    started = split_operands(words[1:], NODE_WITH_VALUE)[1][:1] if words[:1] == ("node",) else words[:1]
    in_one = not IN_A_BROWSER.isdisjoint(map(program_name, started))
    if words[:2] == ("aegir", "test"):  # in browsers too unless told (https://github.com/ipfs/aegir#testing-helpers)
        return not _IN_NODE.search(" ".join(words[2:]))
    return in_one and not any("jsdom" in word.lower() for word in words)


def is_by_karma(words: tuple[str, ...], installed: Collection[str]) -> bool:
    """What Angular's own program tests with, where it is installed (https://angular.dev/guide/testing/karma)."""
    return words[:2] == ("ng", "test") and "karma" in installed


def is_in_installed_browser(words: tuple[str, ...], installed: Collection[str]) -> bool:
    """Whether what is installed tells that a command tests in a browser, or in an editor that is one and is not in the
    registry."""
    file = next(iter(split_operands(words[1:], NODE_WITH_VALUE)[1]), "") if words[:1] == ("node",) else ""
    in_editor = not _EDITORS.isdisjoint(installed) and bool(_STARTS_EDITOR.fullmatch(file))
    return in_editor or is_by_karma(words, installed)
