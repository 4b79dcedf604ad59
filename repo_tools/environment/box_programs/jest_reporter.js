const OUTCOMES = { passed: 'passed', failed: 'failed' };

class Reporter {
  constructor() {
    this.failed = 0;
    this.over = false;
    insteadOfExit((code) => {  // reaches tests that jest runs in its own process
      if (this.over) return code;
      throw exitCalled(code);
    });
  }

  onTestResult(test, result) {
    const file = rooted(result.testFilePath);
    for (const one of result.testResults) {
      const outcome = OUTCOMES[one.status] || 'skipped';
      if (outcome === 'failed') this.failed += 1;
      const message = text((one.failureMessages || []).join('\n'));
      say('case', file, [...one.ancestorTitles, one.title], outcome, (one.duration || 0) / 1000, message);
    }
    const broken = result.testExecError || (result.testResults.length ? undefined : result.failureMessage);
    const exit = exitOf(!broken && result.testResults.every((one) => one.status !== 'failed'));  // of one of its tests
    if (!broken && !exit) return;
    this.failed += 1;
    say('case', file, [], 'error', 0, text(result.failureMessage || broken || exit));
  }

  onRunComplete(contexts, results) {
    this.over = true;
    if (!results.wasInterrupted) say('end', this.failed);
    endedSoon();
  }
}

// Releases before 20 call a function with all results. It is loaded before them, and not in the programs that they start.
const before = `--require=${__filename}`;
module.exports = process.execArgv.includes(before)
  ? (results) => {
      const reporter = new Reporter();
      results.testResults.forEach((result) => reporter.onTestResult(undefined, result));
      reporter.onRunComplete(undefined, results);
      return results;
    }
  : Reporter;
process.execArgv = process.execArgv.filter((word) => word !== before);
