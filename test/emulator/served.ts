/** A process that serves an emulator on a data folder, for tests that kill it. */
import { serveEmulator } from '../../src/emulator/index.ts';

const [data = '', controlToken = ''] = process.argv.slice(2);
const { url } = await serveEmulator({ data, controlToken, pid: process.pid });
process.send?.({ url });
process.on('disconnect', () => process.exit());
