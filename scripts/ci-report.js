// `node scripts/ci-report.js NAME REPORT STATUS FAILURES`: prints the numbers of tests that passed and
// failed in a JSON report of vitest, and appends each failure with its message to the file FAILURES.
import { appendFileSync, readFileSync } from 'node:fs';

const [name, file, status, failures] = process.argv.slice(2);
const { numPassedTests: passed, testResults } = reportIn(file);
const found = testResults.flatMap(({ name: path, status: result, message, assertionResults }) => {
  const place = `${name}: ${path.slice(path.indexOf('/test/') + 1)}`;
  const failed = assertionResults.filter((test) => test.status === 'failed');
  // A file that cannot be run counts as a failed test.
  if (failed.length === 0 && result === 'failed') return `${place}\n${message.slice(0, 2000)}`;
  return failed.map(
    ({ fullName, failureMessages }) =>
      `${place}: ${fullName}\n${failureMessages.join('\n').slice(0, 2000)}`,
  );
});
// A run may fail although no test did: an unhandled error, a build that stops, no test found.
if ((status !== '0' && found.length === 0) || passed === 0) {
  found.push(`${name}: exit code ${status}`);
}
appendFileSync(failures, found.map((each) => `${each}\n`).join(''));
process.stdout.write(`${passed} ${found.length}\n`);

function reportIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { numPassedTests: 0, testResults: [] };
  }
}
