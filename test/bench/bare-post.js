// The least that posts grades with undici: what a bulk run is measured against.
import { Agent } from 'undici';

const [, , origin, count, connections] = process.argv;
const agent = new Agent({ connections: Number(connections) });
let next = 0;

async function work() {
  while (next < Number(count)) {
    const row = next++;
    const { body } = await agent.request({
      origin,
      path: `/contexts/course-1/members/member-${row}/grades`,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
      body: `{"score":${(row % 101) / 100}}`,
    });
    await body.json();
  }
}

await Promise.all(Array.from({ length: Number(connections) }, work));
await agent.destroy();
