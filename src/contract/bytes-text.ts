const UNITS = ['B', 'KB', 'MB', 'GB'];

/** A size in units of 1024 bytes, like the limits: `512 B`, `4.6 KB`, `24.0 MB`, `100 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(unit > 0 && value < 100 ? 1 : 0)} ${UNITS[unit]}`;
}
