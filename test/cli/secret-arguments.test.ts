import { test } from 'vitest';
import { linesIn, step, stepsAt } from '../support/steps.ts';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.signature-canary';

test.each(
  linesIn(`
  launch save n 'Bearer ${TOKEN}' # exit 2: not accepted as arguments
  launch save n https://tool.example/l?launch=${TOKEN} # exit 2
  launch use ${TOKEN} # exit 2
  storage get ${TOKEN} # exit 2: not accepted as arguments
  storage get member -l eyJhbGciOiJIUzI1NiJ9..signature-canary # exit 2
  storage get member -l a1b2c3d4e5.b1c2d3e4f5.canary-c1d2e3f # exit 2: not accepted as arguments
  storage get member -l {"api":{"token":"canary"}} # exit 2: not accepted as arguments
  storage undo member --url http://a.example/r ${TOKEN} # exit 4
  grade submit --score 0.5 -k ak_live_canary1 # exit 4
  grade submit --score ${TOKEN} # exit 3
  grade submit --points ${TOKEN}/50 # exit 3
  grade submit --points ${TOKEN}/0 # exit 3
  grade submit --score 1 --max-score ${TOKEN} # exit 3
  grade submit --score 1 --grading-progress ${TOKEN} # exit 3
  grade submit --score 1 ${TOKEN} # exit 2: not accepted as arguments
  grade submit lt_canary5example7 # exit 2: not accepted as arguments
  provision sk_test_canary1 # exit 2
  files sync ${TOKEN} elsewhere # exit 2
  ${TOKEN} # exit 2
  storage get member -k ak_live_canary1 # exit 4: not accepted as arguments
  storage get key_canary5example7 # exit 2: not accepted as arguments
  launch list canary5of32charactersandmore0123 # exit 2: not accepted as arguments
  launch decode ${TOKEN} # exit 2: not accepted as arguments
  validate launch ${TOKEN} # exit 2
  doctor 'Bearer ${TOKEN}' # exit 2: not accepted as arguments`),
)('a secret among the arguments is never repeated: %s', async (line) => {
  await step(line, { lacks: ['canary', 'eyJhbG', 'eyJhIj'] });
});

test.each(
  linesIn(`
  grade submit --score 1 student-17 # exit 2: too many arguments
  storage get cntext-of-a-course # exit 2: cntext-of-a-course
  launch show 01234567-89ab-cdef-0123-456789abcdef # exit 2: 01234567-89ab-cdef-0123-456789abcdef
  launch show microeconomics-101-autumn2026-essay-staff # exit 2: no saved launch or file named
  validate grades assignment-1.submissions.ndjson # exit 2: assignment-1.submissions.ndjson
  validate row the-rows-of-monday.staging-eu.json # exit 2: the-rows-of-monday.staging-eu.json
  validate row a/folder/with-a-name-of-32-characters-or-more/1 # exit 2: -of-32-characters-or-more/1`),
)('an argument that is no secret is not taken for one: %s', async (line) => {
  await step(line, { lacks: 'secret' });
});

const TOKEN_TEXT = 'lt_g4hbfD8AX1isvn62cujMisCANARYO7WZd24fJXo';
const KEY = 'key_lBVJ3fD8AX1isvn62cujMisCANARYO7WZdTcA';
const SEND = 'LECTERN_TOKEN=x grade submit --url http://a.example/contexts/c/members/{member}/g';

test.each(
  linesIn(`
  validate row < ${TOKEN_TEXT}
  validate row < {"api":{"token":${TOKEN_TEXT}}}
  validate patch < ${TOKEN_TEXT}
  validate patch < {"patch":[{"op":"${TOKEN_TEXT}","path":"/a"}]}
  validate patch < {"patch":[{"op":"remove","path":"${TOKEN_TEXT}"}]}
  validate seed < ${KEY}
  validate grade < ${KEY}
  validate grades - < ${KEY}
  validate grades - < member,score,${TOKEN_TEXT}\\nm,1,x
  validate grades - < member,${KEY},${TOKEN_TEXT}
  validate grades - < {"member":"m","score":${KEY}}
  validate grades - < {"member":"m","score":"${KEY}"}
  validate grades - < {"member":"m","score":1,"${KEY}":1}
  ${SEND} --from - --yes < ${KEY}
  ${SEND} --from - --yes --members secret.txt < member,score\\nm,1`),
)('a secret in a wrong file is not shown: %s', async (line) => {
  const { step: here } = stepsAt();
  const files = { 'secret.txt': `${KEY},x,x\n${TOKEN_TEXT},y` };
  await here(line, { files, lacks: 'CANARY', exit: 3 });
});
