const titles = (runnable) => {
  const names = [];
  for (let at = runnable; at && at.title; at = at.parent) names.unshift(at.title);
  return names;
};
const fileOf = (runnable) => {
  for (let at = runnable; at; at = at.parent) if (at.file) return rooted(at.file);
  return '';
};

module.exports = class {
  constructor(runner) {
    const tell = (outcome) => (runnable, error) => {
      const message = text(error);
      say('case', fileOf(runnable), titles(runnable), outcome, (runnable.duration || 0) / 1000, message);
      console.log(`${outcome}: ${titles(runnable).join(' > ')}`);
      if (message) console.log(message);
    };
    let failed = 0;
    runner.on('pass', tell('passed'));
    runner.on('pending', tell('skipped'));
    runner.on('fail', (runnable, error) => {
      failed += 1;
      tell('failed')(runnable, error);
    });
    runner.on('end', () => {
      say('end', failed);
      endedSoon();
    });
  }
};
