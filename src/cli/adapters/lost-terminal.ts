import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { devNull } from 'node:os';

/**
 * Lets the process end normally after its terminal was closed. Node restores the terminal's mode at
 * exit, and before 24.1 and 22.17 it aborts if that fails (nodejs/node#51519), with a native stack
 * and perhaps a core file, which contains tokens. It skips a descriptor that has become another
 * file.
 */
export function replaceLostTerminal(): void {
  if (process.platform === 'win32') return;
  process.on('exit', () => {
    try {
      const standard = [0, 1, 2];
      for (const fd of standard.filter(isLostTerminal)) {
        closeSync(fd);
        openSync(devNull, 'r+');
      }
    } catch {
      // Node's own exit is the only way left.
    }
  });
}

function isLostTerminal(fd: number): boolean {
  const stats = fstatSync(fd);
  if (!stats.isCharacterDevice() || stats.rdev === statSync(devNull).rdev) return false;
  // Streams on a terminal have loaded it already; otherwise loading would take milliseconds.
  return !process.getBuiltinModule('node:tty').isatty(fd);
}
