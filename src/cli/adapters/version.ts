/** Prints the version and nothing else, without a command tree. */
export function printVersion(): void {
  process.stdout.write(`${__VERSION__}\n`);
}
