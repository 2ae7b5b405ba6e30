#!/usr/bin/env node
// CommonJS, as the files that it loads: Node 20 starts them faster (docs/decisions/0001-bundle.md).
const { existsSync, mkdirSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { dirname, isAbsolute, join, resolve } = require('node:path');

if (enableCompileCache) keepCompiledCode(cacheFolder(process));

loadMain().runProcess(process);

/** From 22.8 on, Node keeps compiled code: commands start a tenth faster. */
function keepCompiledCode(folder) {
  if (!isAbsolute(folder)) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It exists, or there is no home, which is not created for it.
  }
  if (existsSync(folder)) enableCompileCache(folder);
}

/** Below the home; without one, where the platform keeps what can be made again. */
function cacheFolder({ env, platform }) {
  if (env.LECTERN_HOME) return resolve(env.LECTERN_HOME, 'cache');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? '', 'lectern', 'Cache');
  if (platform === 'darwin') return join(env.HOME ?? '', 'Library', 'Caches', 'lectern');
  return join(env.XDG_CACHE_HOME || join(env.HOME ?? '', '.cache'), 'lectern');
}

function loadMain() {
  try {
    return require('../dist/cli/main.cjs');
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND' || error.requireStack?.[0] !== __filename) throw error;
    const folder = dirname(__dirname);
    process.stderr.write(`lectern: this copy has not been built\n  run npm ci in ${folder}\n`);
    process.exit(1);
  }
}
