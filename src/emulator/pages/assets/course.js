/** The course page around a tool: says how the session is, and what the tool made of its end. */
const EVENT = 'service-session-expired';
const POLL_MS = 500;
/** How long to wait for the frame to report a refusal before it is asked, and then before it is left. */
const UNSEEN_MS = 1000;
const SILENT_MS = 2000;
/** Characters that change the direction of the text after them. */
const BIDI = /\p{Bidi_Control}/gu;

const { launch, kind, origin, ended: endedPage } = document.body.dataset;
const frame = frameIn(document.querySelector('main'));
const status = document.getElementById('status');
const again = document.getElementById('again');
const tab = document.getElementById('tab');
const own = `/_emulator/course/${launch}`;

/** What the frame said of the event, and when a refused call was first seen that no frame has seen. */
let outcome;
let unnoticedAt;
/** The frame has said nothing, and went to the session-ended page. */
let wasSilent = false;
let problem = '';
/** Whether `problem` is that the emulator did not answer: the next answer clears it. */
let isUnanswered = false;
let shown = '';
/** New code of a watch: the page launches again once. */
let isRelaunching = false;

/** Browsers restore a frame of the page itself from the history, with its old launch. */
function frameIn(main) {
  const made = document.createElement('iframe');
  made.title = 'Tool';
  made.name = 'tool';
  for (const each of ['scripts', 'same-origin', 'forms', 'popups', 'downloads', 'modals']) {
    made.sandbox.add(`allow-${each}`);
  }
  if (main.dataset.src !== '') made.src = main.dataset.src;
  main.append(made);
  return made;
}

// Messages from other windows are ignored.
addEventListener('message', ({ source, origin: from, data }) => {
  if (source !== frame.contentWindow || from !== origin) return;
  if (data?.type === 'lectern-launch') void handOver();
  if (data?.type !== EVENT || data.launch_id !== launch) return;
  outcome = { handled: data.handled === true, listened: data.listened === true };
  void notice();
});

/** A page of a development server asks for its launch. */
async function handOver() {
  const answer = await fetch(`${own}/claims`, { method: 'POST' });
  if (!answer.ok) return;
  const known = await answer.json();
  frame.contentWindow.postMessage({ type: 'lectern-launch', known }, origin);
}

/** The refusal was seen here: it needs no other frame. */
async function notice() {
  unnoticedAt = undefined;
  try {
    await fetch(`${own}/noticed`, { method: 'POST' });
  } catch {
    // The emulator does not answer, which the next look shows.
  }
  await look();
}

async function look() {
  try {
    const answer = await fetch(`${own}/status`);
    if (isUnanswered) [isUnanswered, problem] = [false, ''];
    if (answer.status === 404)
      show('ended', ['This launch is gone: the emulator was reset or started again.']);
    else showSession(await answer.json());
  } catch {
    show('unknown', ['The emulator does not answer.']);
  }
}

function showSession(session) {
  const { ended, seconds_left: seconds, relaunches, unnoticed, upgrade, faults } = session;
  if (relaunches && !isRelaunching) {
    isRelaunching = true;
    void launchAgain();
    return;
  }
  const active = faults.length === 0 ? [] : [`! Faults are active: ${faults.join('; ')}`];
  const offer =
    upgrade === null
      ? active
      : [
          `This course runs version ${upgrade.from} of the tool, which is deprecated: an upgrade to version ${upgrade.to} is offered.`,
          ...active,
        ];
  if (ended === null) {
    show('live', [`Session ends in ${duration(seconds)} if no call comes`, ...offer]);
    return;
  }
  unnoticedAt = unnoticed ? (unnoticedAt ?? performance.now()) : undefined;
  if (kind === 'hosted' && unnoticedAt !== undefined) expire(performance.now() - unnoticedAt);
  show('ended', [`Session ended: ${ended}`, ...consequences(), ...offer]);
}

/** Of a refusal that the tool's page did not see, it is sent the event from here. */
function expire(ms) {
  const isOver = outcome !== undefined || frame.src === endedPage;
  if (isOver) void notice();
  else if (ms >= UNSEEN_MS + SILENT_MS) {
    wasSilent = true;
    frame.src = endedPage;
    void notice();
  } else if (ms >= UNSEEN_MS) {
    frame.contentWindow.postMessage({ type: EVENT, launch_id: launch }, origin);
  }
}

/** What became of the tool; a text with a mark in front is a warning. */
function consequences() {
  if (kind === 'external') return [];
  if (outcome?.handled) return [`The tool handled ${EVENT} and stays.`];
  if (outcome?.listened) {
    return [
      `! A listener for ${EVENT} ran without preventDefault(), so the frame went to the session-ended page. Call event.preventDefault() before the listener returns to keep the tool.`,
    ];
  }
  if (outcome) return ['The frame went to the session-ended page.'];
  if (!wasSilent) return [];
  return [
    `! The page in the frame did not run the emulator's script, so there was no ${EVENT}, and the frame went to the session-ended page.`,
  ];
}

function duration(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return hours === 0 ? `${rest} min` : `${hours} h ${rest} min`;
}

function show(session, texts) {
  const all = problem === '' ? texts : [...texts, `! ${problem}`];
  const now = JSON.stringify([session, all]);
  if (now === shown) return;
  shown = now;
  status.dataset.session = session;
  again.classList.toggle('primary', session === 'ended');
  status.replaceChildren();
  for (const text of all) {
    const line = document.createElement('p');
    line.textContent = text.replace(/^! /, '').replace(BIDI, escaped);
    line.classList.toggle('warning', text.startsWith('! '));
    status.append(line);
  }
}

function escaped(character) {
  return `\\u{${character.charCodeAt(0).toString(16)}}`;
}

/** POSTs to the page's own side; resolves with undefined where it refuses or is away, and says why. */
async function ask(what) {
  let answer;
  let answered;
  try {
    answer = await fetch(`${own}/${what}${location.search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    answered = await answer.json();
  } catch {
    isUnanswered = true;
    problem =
      'Nothing was launched. Start the emulator again (lectern emulator start), then press Launch again.';
    show('unknown', ['The emulator does not answer.']);
    return undefined;
  }
  problem = answer.ok ? '' : `The launch was refused: ${answered.error?.message}`;
  if (answer.ok) return answered;
  await look();
  return undefined;
}

async function launchAgain() {
  const launched = await ask('again');
  if (launched) location.replace(launched.course_page);
}
again.addEventListener('click', () => void launchAgain());

document.getElementById('third-party').addEventListener('change', ({ target }) => {
  const search = new URLSearchParams(location.search);
  if (target.checked) search.set('third-party', '');
  else search.delete('third-party');
  location.search = search.toString();
});

/** Launches an external tool by a form, as a course does: into the frame, or a tab. */
async function submitTo(target) {
  const launched = await ask('form');
  if (!launched) return;
  if (launched.unreachable !== null) {
    problem = `${launched.unreachable}. Then press Launch again.`;
    await look();
    return;
  }
  const form = document.createElement('form');
  form.method = 'post';
  form.action = launched.action;
  form.target = target;
  const token = document.createElement('input');
  token.type = 'hidden';
  token.name = 'launch_token';
  token.value = launched.launch_token;
  form.append(token);
  document.body.append(form);
  form.submit();
  // The token is for the tool alone.
  form.remove();
}

await look();
setInterval(look, POLL_MS);
if (kind === 'external') {
  tab.hidden = false;
  tab.addEventListener('click', () => void submitTo('_blank'));
  await submitTo('tool');
}
