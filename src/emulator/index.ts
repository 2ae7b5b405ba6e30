/** The whole service on a laptop. */
export { MemoryBlobs, DiskBlobs, type Blobs, type BlobWriter } from './blobs.ts';
export { type WaitingFault } from './control/faults.ts';
export { type Answers, CONTROL_PREFIX, type Streamed } from './control/index.ts';
export { StoreError } from './store-error.ts';
export { createEmulator, type Emulator, type EmulatorOptions } from './emulator.ts';
export { type PlainRequest, type Reply } from './http.ts';
export { type LaunchWish } from './choose-launch.ts';
export { DataInUseError } from './lock.ts';
export { serveEmulator, type Served, type ServeOptions } from './serve.ts';
export { checkSeed, SeedError } from './seed-check.ts';
export { type SeedFault } from './seed-shape.ts';
export { type Seed } from './seed.ts';
export { EXAMPLE_SEED } from './example-seed.ts';
export { Store } from './store.ts';
export { type Exchange } from './traffic.ts';
