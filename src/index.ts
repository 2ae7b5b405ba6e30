/** What a script imports: the client, the rules of the contract, the validator and the emulator. */
export * from './client/index.ts';
export * from './contract/index.ts';
export * from './emulator/index.ts';
export * from './validator/index.ts';
