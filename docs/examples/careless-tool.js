// A small tool, and careless: docs/review-your-tool.md mends it step by step.
import { readFileSync } from 'node:fs';

const claims = JSON.parse(readFileSync(process.env.LECTERN_LAUNCH, 'utf8'));
const authorization = `Bearer ${claims.api.token}`;
const UPLOAD_HEADERS = { authorization };
const TRIES = 2;

function call(method, url, json) {
  const headers = { authorization, 'content-type': 'application/json' };
  const options = { method, headers, body: JSON.stringify(json) };
  return fetch(url, options);
}

async function upload(key, text) {
  const declared = await call('PUT', `${claims.files.context}/${key}`, { size: text.length });
  const { url, fields } = await declared.json();
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([text]));
  await fetch(url, { method: 'POST', headers: UPLOAD_HEADERS, body: form });
}

async function grade(score) {
  const body = { score };
  body.launch_id = claims.launch_id;
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const response = await call('POST', claims.grade.submit, body);
      return (await response.json()).status;
    } catch {
      // Somebody will surely want it sent again.
    }
  }
  return 'in doubt';
}

await upload('notes.txt', 'Cells divide.');
console.log(await grade(0.85));
