/**
 * Mocha's spec reporter, which also writes totals, failures and the seconds that each file took as JSON to the file named by
 * PEAGEN_TEST_TOTALS, for test/run.ts.
 */
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failures = [];
    const files = new Map();
    const add = ({ file, duration }) => {
      if (file && duration) files.set(file, (files.get(file) ?? 0) + duration / 1000);
    };
    runner.on('test end', add);
    runner.on('hook end', add);
    runner.on('fail', (test, error) => failures.push(`${test.fullTitle()}: ${error.message}`));
    runner.once('end', () => {
      const { passes: passed, failures: failed, pending: skipped } = runner.stats;
      const file = process.env.PEAGEN_TEST_TOTALS;
      const seconds = Object.fromEntries([...files].map(([path, sum]) => [relative(process.cwd(), path), sum]));
      if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failed, skipped, failures, files: seconds }));
    });
  }
};
