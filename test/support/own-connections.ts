/** Lets no test use a connection of the one before: another emulator may have the same port by then. */
import { afterEach } from 'vitest';
import { hangUp } from '../emulator/wire.ts';

afterEach(hangUp);
