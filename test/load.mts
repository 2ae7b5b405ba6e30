import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { Pool } from 'undici';
rmSync('/tmp/em/bd',{recursive:true,force:true});
async function start(kind) { const p = fork('/tmp/em/server.mts', [kind, '/tmp/em/bd'], { execArgv: ['--import', 'tsx'] }); const { url } = await new Promise(r => p.once('message', r)); return { p, url }; }
async function load(url, make, seconds = 3) {
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  let n = 0, stop = false;
  const worker = async (i) => { while (!stop) { const r = await pool.request(make(i, n)); await r.body.dump(); if (r.statusCode >= 300) throw new Error(r.statusCode + ' '); n++; } };
  const ws = Array.from({ length: 64 }, (_, i) => worker(i));
  await new Promise(r => setTimeout(r, 1500)); n = 0; const t = performance.now();
  await new Promise(r => setTimeout(r, seconds * 1000)); const rate = n / (performance.now() - t) * 1000; stop = true; await Promise.all(ws); await pool.close(); return rate;
}
const bare = await start('bare'), emu = await start('emu');
const launch = async (b) => (await (await fetch(emu.url + '/_emulator/launch', { method: 'POST', headers: { authorization: 'Bearer ct' }, body: JSON.stringify(b) })).json()).claims;
const l = await launch({ role: 'instructor' });
const path = u => u.slice(emu.url.length);
const H = { authorization: 'Bearer ' + l.api.token, 'content-type': 'application/json' };
const row = JSON.stringify({ text: 'x'.repeat(1000) });
const grade = JSON.stringify({ score: 0.85, comment: 'good work', activity_progress: 'Completed' });
const cases = {
  GET: { method: 'GET', path: path(l.storage.member), headers: H },
  PUT: { method: 'PUT', path: path(l.storage.member), headers: H, body: row },
  POST: { method: 'POST', path: path(l.grade.submit), headers: H, body: grade },
};
await fetch(l.storage.member, { method: 'PUT', headers: H, body: row });
for (const [name, c] of Object.entries(cases)) {
  const b = await load(bare.url, () => c), e = await load(emu.url, () => c);
  const b2 = await load(bare.url, () => c), e2 = await load(emu.url, () => c);
  console.log(name, 'bare', b | 0, b2|0, 'emulator', e | 0, e2|0, 'ratio', ((e+e2) / (b+b2)).toFixed(3));
}
bare.p.kill(); emu.p.kill();
