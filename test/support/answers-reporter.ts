import type { Reporter, TestModule } from 'vitest/node';

/** The least number of responses that a whole run holds back; fewer mean that holding is broken. */
const LEAST = 5000;
/** What a run of everything has; one of a part is not judged. */
const MODULES_OF_ALL = 150;

/** Prints how many answers of emulators were checked against the OpenAPI documents, in all workers. */
export default class AnswersReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = tests.reduce((sum, test) => sum + (test.meta().answers ?? 0), 0);
    if (count > 0) process.stdout.write(`Checked against OpenAPI: ${count} answers\n`);
    if (modules.length < MODULES_OF_ALL || count >= LEAST) return;
    process.stderr.write(`too few answers were checked against OpenAPI: ${count} of ${LEAST}\n`);
    process.exitCode = 1;
  }
}
