/** The emulator: the whole service on one machine. */
export { MemoryBlobs, DiskBlobs, type Blobs, type BlobWriter } from './store/blobs.ts';
export { type WaitingFault } from './trouble/faults.ts';
export { COVERED, REPORT } from './control/report-how.ts';
export { OPERATIONS } from './control/operations.ts';
export { CONTROL_PREFIX } from '../control-request.ts';
export { type Answers, type StreamedName, type Taken } from './control/index.ts';
export { StoreError } from './store/database.ts';
export { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts';
export { type PlainRequest, type Reply } from './http/messages.ts';
export { type LaunchRequest } from './service/launches/launches.ts';
export { type Signature } from './service/external/signature.ts';
export { DataInUseError } from './store/data-folder.ts';
export { serveEmulator, type Served, type ServeOptions } from './serve.ts';
export { checkSeed, SeedError, type SeedFault } from './state/seed/seed-check.ts';
export { SEED, type Seed } from './state/seed/seed.ts';
export { EXAMPLE_SEED } from './state/seed/worlds.ts';
export { Store } from './store/store.ts';
export { type Exchange } from './review/traffic.ts';
