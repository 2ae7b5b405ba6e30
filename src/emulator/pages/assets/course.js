/** The course page around a tool: says how the session is, and what the tool made of its end. */
const EVENT = 'service-session-expired';
const POLL_MS = 500;
/** How long a refusal may go untold by the frame. */
const UNTOLD_MS = 2000;

const { launch, kind, origin } = document.body.dataset;
const frame = document.querySelector('iframe');
const status = document.getElementById('status');
const again = document.getElementById('again');
const tab = document.getElementById('tab');
const own = `/_emulator/course/${launch}`;

/** What the frame told of the event, and when a refused call was first seen that no frame has seen. */
let told;
let unnoticedAt;
let problem = '';
/** Whether that was that nobody answered: it is over with the next answer. */
let isUnanswered = false;
let shown = '';

// A message from anywhere else says nothing of this launch.
addEventListener('message', ({ source, origin: from, data }) => {
  if (source !== frame.contentWindow || from !== origin) return;
  if (data?.type !== EVENT || data.launch_id !== launch) return;
  told = { handled: data.handled === true, listened: data.listened === true };
  void look();
});

async function look() {
  try {
    const answer = await fetch(`${own}/status`);
    if (isUnanswered) [isUnanswered, problem] = [false, ''];
    if (answer.status === 404) show('ended', ['This launch is gone: the emulator was reset.']);
    else showSession(await answer.json());
  } catch {
    show('unknown', ['The emulator does not answer.']);
  }
}

function showSession({ ended, seconds_left: seconds, unnoticed, upgrade }) {
  const offer =
    upgrade === null
      ? []
      : [
          `This course runs version ${upgrade.from} of the tool, which is deprecated: an upgrade to version ${upgrade.to} is offered.`,
        ];
  if (ended === null) {
    show('live', [`Session ends in ${duration(seconds)} if no call comes`, ...offer]);
    return;
  }
  unnoticedAt = unnoticed ? (unnoticedAt ?? performance.now()) : undefined;
  show('ended', [`Session ended: ${ended}`, ...consequences(), ...offer]);
}

/** What became of the tool; a text with a mark in front is a warning. */
function consequences() {
  if (kind === 'external') return [];
  if (told?.handled) return [`The tool handled ${EVENT} and stays.`];
  if (told?.listened) {
    return [
      `! A listener for ${EVENT} ran without preventDefault(), so the frame went to the session-ended page. Call event.preventDefault() before the listener returns to keep the tool.`,
    ];
  }
  if (told) return ['The frame went to the session-ended page.'];
  if (unnoticedAt === undefined || performance.now() - unnoticedAt < UNTOLD_MS) return [];
  return [
    `! The service refused a call of the tool that its page did not see, so there was no ${EVENT}: a call from a Worker is not seen, nor one by the fetch of a frame that the tool made, or one that was under way when the page was left.`,
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
    line.textContent = text.replace(/^! /, '');
    line.classList.toggle('warning', text.startsWith('! '));
    status.append(line);
  }
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

again.addEventListener('click', async () => {
  const launched = await ask('again');
  if (launched) location.assign(launched.course_page);
});

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
