// Starts ava, and hears what all of its own reporters are told. It takes no reporter from outside, and its TAP does not
// say which file a test is in; the events of lib/run-status.js have been the same since its first release.
const { pathToFileURL } = require('url');
const BESIDE_TESTS = /^(?!!)(?:.*\/)?(?:(?:__)?(?:helper|fixture)s?(?:__)?\/.*|_[^/_][^/]*)$/;
const whole = (word) => (fs.existsSync(word) && fs.statSync(word).isDirectory() ? `${word}/**` : word);

const broken = new Set();  // files with an error of their own
const pending = new Map();  // a file's tests without an end; ava forgets those of all files when a test leaves
let failed = 0;
const tell = (file, title, outcome, seconds, message) => {
  if (!title && broken.has(file)) return;  // what comes after the first only follows from it
  if (!title) broken.add(file);
  if (outcome === 'failed' || outcome === 'error') failed += 1;
  say('case', file ? rooted(file) : '', title ? [title] : [], outcome, seconds || 0, message);
};
const shown = (error) => {
  if (!error) return '';
  const details = error.formattedDetails || error.values || error.statements || [];
  const values = details.map((one) => (Array.isArray(one) ? one.join(' ') : `${one.label}\n${one.formatted}`));
  return text([text(error.originalError || error), ...values].join('\n'));
};
const ended = ({ testFile, title, duration }, outcome, message) => {
  const awaited = (pending.get(testFile) || new Set()).delete(title);
  if (awaited) tell(testFile, title, outcome, duration / 1000, message);
};
const unfinished = (files, why) => {
  const tests = [].concat(...files.map((file) => [...(pending.get(file) || [])].map((title) => [file, title])));
  files.forEach((file) => pending.delete(file));
  tests.forEach(([file, title]) => tell(file, title, 'failed', 0, why));
  return tests.length > 0;
};

const heard = {  // since ava 1
  'selected-test': ({ testFile, title, skip, todo }) => {
    if (skip || todo) tell(testFile, title, 'skipped', 0, '');
    else pending.set(testFile, (pending.get(testFile) || new Set()).add(title));
  },
  'test-passed': (event) => ended(event, 'passed', ''),
  'test-failed': (event) => ended(event, 'failed', shown(event.err)),
  'hook-failed': (event) => tell(event.testFile, event.title, 'failed', event.duration / 1000, shown(event.err)),
  'uncaught-exception': (event) => tell(event.testFile, '', 'error', 0, shown(event.err)),
  'unhandled-rejection': (event) => tell(event.testFile, '', 'error', 0, shown(event.err)),
  'internal-error': (event) => tell(event.testFile, '', 'error', 0, shown(event.err)),
  'shared-worker-error': (event) => tell('', '', 'error', 0, shown(event.err)),
  'missing-ava-import': (event) => tell(event.testFile, '', 'error', 0, 'It does not import ava.'),
  'process-exit': ({ testFile }) => {
    tell(testFile, '', 'error', 0, 'A test called process.exit().');
    unfinished([testFile], 'Its process had ended before it did.');
  },
  'timeout': (event) => {
    const why = `ava gave up: no test had ended for ${event.period} ms.`;
    if (!unfinished([...pending.keys()], why)) tell('', '', 'error', 0, why);
  },
  'worker-failed': (event) => {
    const how = event.nonZeroExitCode ? `with exit code ${event.nonZeroExitCode}` : `by ${event.signal || 'itself'}`;
    tell(event.testFile, '', 'error', 0, `Its process ended ${how}.`);
  },
  'worker-finished': (event, status) => {
    const { declaredTests } = status.stats.byFile.get(event.testFile) || {};
    if (event.forcedExit) return;
    if (declaredTests === 0) tell(event.testFile, '', 'error', 0, 'No tests were found in it.');
    unfinished([event.testFile], 'It never ended.');
  },
};
const before = {  // ava 1
  handleTest: (test) => {
    const outcome = test.skip || test.todo ? 'skipped' : test.error ? 'failed' : 'passed';
    tell(test.file, test.title, outcome, test.duration / 1000, shown(test.error));
  },
  handleExceptions: ({ file, exception }) => tell(file, '', 'error', 0, shown(exception)),
  handleRejections: ({ file, rejections }) => rejections.forEach((error) => tell(file, '', 'error', 0, shown(error))),
};
const listen = (events) => {
  for (const name of Object.keys(before).filter((one) => events[one])) {
    const original = events[name];
    events[name] = function handle(data) {
      before[name](data);
      return original.call(this, data);
    };
  }
  const emit = events.emitStateChange;
  if (!emit) return;
  events.emitStateChange = function emitStateChange(event) {
    const result = emit.call(this, event);
    if (heard[event.type]) heard[event.type](event, this);
    return result;
  };
};

const ava = installedAt('ava');
if (!ava) {
  console.error('ava is not installed');
  process.exit(127);
}
const { bin, type } = JSON.parse(fs.readFileSync(path.join(ava, 'package.json'), 'utf8'));
const load = async (file) => (type === 'module' ? (await import(pathToFileURL(file))).default : require(file));
const command = path.join(ava, typeof bin === 'string' ? bin : bin.ava);
const end = process.argv.indexOf('--');
const files = process.argv.slice(end + 1);
const wanted = files.filter((file) => !BESIDE_TESTS.test(file));  // a pattern's files, where ava would have had it
process.argv = [process.argv[0], command, ...process.argv.slice(2, end), ...(wanted.length ? wanted : files).map(whole)];
process.on('exit', () => say('end', failed));
load(path.join(ava, 'lib', 'run-status.js'))
  .then((status) => listen(status.prototype))
  .then(() => load(command))
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
