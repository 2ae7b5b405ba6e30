import { networkInterfaces } from 'node:os';

/** An IPv4 address by which other machines reach this one, if it has one. */
export const OWN_ADDRESS = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
