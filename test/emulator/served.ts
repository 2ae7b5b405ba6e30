/** A process that serves an emulator on a data folder, for tests that kill it. */
import { serveEmulator } from '../../src/emulator/index.ts';
import { freePort } from '../support/free-port.ts';

const [data = '', controlToken = ''] = process.argv.slice(2);
const lastPorts = { api: await freePort(), blobs: await freePort() };
const { url } = await serveEmulator({ data, controlToken, pid: process.pid, lastPorts });
process.send?.({ url });
process.on('disconnect', () => process.exit());
