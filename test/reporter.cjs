/** Mocha's spec reporter, which also writes its totals as JSON to the file named by PEAGEN_TEST_TOTALS, for test/run.ts. */
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      const { passes, failures, pending } = runner.stats;
      const file = process.env.PEAGEN_TEST_TOTALS;
      if (file !== undefined) writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
    });
  }
};
