/**
 * Mocha's spec reporter, which also writes totals and failures as JSON to the file named by PEAGEN_TEST_TOTALS, for
 * test/run.ts.
 */
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failures = [];
    runner.on('fail', (test, error) => failures.push(`${test.fullTitle()}: ${error.message}`));
    runner.once('end', () => {
      const { passes: passed, failures: failed, pending: skipped } = runner.stats;
      const file = process.env.PEAGEN_TEST_TOTALS;
      if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failed, skipped, failures }));
    });
  }
};
