const FILE = '(file)';  // a file's own result: a script without tests in it, or one that ended badly

module.exports = async function* report(source) {
  const open = [];  // names of the tests that are under way, by nesting
  const inside = new Map();  // file -> [results in it, failures among them]
  let wrapped = 0;
  let failed = 0;
  const isFile = (name, file) => path.resolve(name) === (file && path.resolve(file)) || (!file && fs.existsSync(name));
  const tell = (file, names, outcome, seconds, message) => {
    const [results, failures] = inside.get(file) ?? [0, 0];
    const bad = outcome === 'failed' ? 1 : 0;
    inside.set(file, [results + 1, failures + bad]);
    failed += bad;
    say('case', rooted(file), names, outcome, seconds, message);
  };
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      if (data.nesting === 0) wrapped = isFile(data.name, data.file) ? 1 : 0;
      open.length = data.nesting;
      open[data.nesting] = data.name;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const error = data.details?.error;
    const file = data.file ?? (wrapped ? open[0] : process.argv[1] ?? '');
    const wrapper = data.nesting === 0 && isFile(data.name, data.file);
    const [results, failures] = inside.get(file) ?? [0, 0];
    const skipped = (data.skip !== undefined && data.skip !== false) || (data.todo !== undefined && data.todo !== false);
    const outcome = skipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    if (wrapper && results && (outcome !== 'failed' || failures)) continue;
    if (!wrapper && data.details?.type === 'suite' && (outcome === 'passed' || error?.failureType === 'subtestsFailed')) continue;
    const names = wrapper ? [FILE] : [...open.slice(wrapped, data.nesting), data.name];
    const message = outcome === 'failed' ? text(error?.cause ?? error) : '';
    tell(file, names, outcome, (data.details?.duration_ms ?? 0) / 1000, message);
  }
  say('end', failed);
};
