// A service in a process of its own, which takes every grade: at once, after 50 ms, or a thousand a
// second. It times what arrives, so that it is the judge. Started by bulk.ts, which gets its port.
import { createServer } from 'node:http';

const LATENCY_MS = 50;
const ALLOWED_PER_SECOND = 1000;
const SAVED_UP = 100;

let mode = 'instant';
let seen;
let tokens = SAVED_UP;
let filledAt = 0;

/** When a refused address may be called again. */
const waiting = new Map();

function reset(next) {
  mode = next;
  tokens = SAVED_UP;
  seen = { first: 0, last: 0, accepted: 0, refused: 0, early: 0 };
  waiting.clear();
}

function answer(request, response) {
  const now = performance.now();
  seen.first ||= now;
  if (mode === 'limited' && !allowed(request.url, now)) {
    seen.refused += 1;
    response.writeHead(429, { 'retry-after': '1' });
    response.end();
    return;
  }
  seen.accepted += 1;
  if (mode === 'slow') setTimeout(() => record(request, response), LATENCY_MS);
  else record(request, response);
}

function allowed(url, now) {
  tokens = Math.min(SAVED_UP, tokens + ((now - filledAt) * ALLOWED_PER_SECOND) / 1000);
  filledAt = now;
  if (now < (waiting.get(url) ?? 0)) seen.early += 1;
  if (tokens < 1) {
    waiting.set(url, now + 1000);
    return false;
  }
  tokens -= 1;
  return true;
}

function record(request, response) {
  const member = request.url.split('/').at(-2);
  const body = JSON.stringify({
    id: `attempt-${member}`,
    status: 'success',
    score: 0.5,
    max_score: null,
    activity_progress: 'Completed',
    grading_progress: 'FullyGraded',
    submitted: '2026-10-13T08:00:00.000Z',
    lineitem: 'https://lms.example/line_items/1',
    data: {
      comment: '',
      response: { status: 200, body: {} },
      error: '',
      source_type: 'launch_token',
      source_id: 'user-1',
    },
    annotations: { member, location: 'location-1', app: 'tool-1', context: 'course-1' },
  });
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
  seen.last = performance.now();
}

reset('instant');
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => answer(request, response));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  if (message.reset) reset(message.reset);
  process.send({ seen });
});
