#!/usr/bin/env node
// CommonJS, as all that it loads: Node starts it faster (docs/decisions/0001-bundle.md).
const { main } = require('../dist/cli/main.cjs');

// Should `main` never resolve, Node would end and call it a success.
process.on('exit', () => (process.exitCode ??= 1));
// All is done and told then: what is still open, such as a connection that TLS is not agreed on or
// output that nobody reads, must not keep the process.
main(process.argv.slice(2), process).then((exitCode) => process.exit(exitCode));
