// The least that a server can do for the same answers: read the body, parse it, answer.
import { createServer } from 'node:http';

const ROW = JSON.stringify({ text: 'x'.repeat(1000) });
const ATTEMPT = {
  id: '0123456789abcdef01',
  status: 'success',
  score: 0.85,
  max_score: null,
  activity_progress: 'Completed',
  grading_progress: 'FullyGraded',
  submitted: '2026-10-13T08:00:00.000Z',
  lineitem: 'https://lms.example/api/line_items/essay-1',
  data: {
    comment: '',
    response: {
      status: 200,
      body: { resultUrl: 'https://lms.example/api/line_items/1/results/1' },
    },
    error: '',
    source_type: 'launch_token',
    source_id: 'user-111',
  },
  annotations: { member: 'member-111', location: 'essay-1', app: 'essay', context: 'biology-101' },
};

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    answer(response, ROW);
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (request.method === 'POST')
      answer(response, JSON.stringify({ ...ATTEMPT, score: body.score }));
    else response.writeHead(204).end();
  });
});

function answer(response, json) {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
  });
  response.end(json);
}

server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
});
