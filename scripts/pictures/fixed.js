// Loaded before the emulator of the pictures: its time, IDs and tokens are the same in every run.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const NOW = Date.parse(process.env.PICTURES_NOW);
const { createHash } = crypto;
let count = 0;

crypto.randomBytes = (bytes) =>
  createHash('shake256', { outputLength: bytes }).update(`pictures ${count++}`).digest();
syncBuiltinESMExports();
Date.now = () => NOW;
