#!/usr/bin/env node
// CommonJS, as all that it loads: Node starts it faster (docs/decisions/0001-bundle.md).
const { main } = require('../dist/cli/main.cjs');

// Should `main` never resolve, Node would end and call it a success.
process.on('exit', () => (process.exitCode ??= 1));
main(process.argv.slice(2), process, require).then((exitCode) => {
  process.exitCode = exitCode;
  // All is done and told, and Node ends by itself, which closes the ledger's files for good. What is
  // still open, such as output that nobody reads, must not keep the process.
  setTimeout(() => process.exit(), 50).unref();
});
