/** Libraries read the environment by themselves; what commands print is the same on every machine. */
for (const name of Object.keys(process.env)) {
  if (/^(CI|NO_COLOR|FORCE_COLOR|(HTTPS?|NO)_PROXY)$/i.test(name)) delete process.env[name];
}
process.env.TERM = 'xterm-256color';
