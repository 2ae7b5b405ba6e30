// A whole hosted tool: its rows, a file, a grade, and text that stays when the session ends.
const { claims } = await window.service.launch();
const byId = (id) => document.getElementById(id);
const [text, file, keep, said, rows] = ['text', 'file', 'keep', 'said', 'rows'].map(byId);

/** Calls the service with the launch's token; throws the service's own words where it refuses. */
async function call(method, url, body) {
  const type = 'application/json';
  const headers = { authorization: `Bearer ${claims.api.token}`, 'content-type': type };
  const init = { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(url, init);
  if (answer.status === 204) return undefined;
  // An overloaded service may answer without JSON.
  const answered = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(answered.error?.message ?? `status ${answer.status}`);
  return answered;
}

/** Declares a file, then posts the signed form: every field as it came, the file last. */
async function upload({ name, type, size }, bytes) {
  const key = name.replace(/[^\w.-]/g, '_').replace(/^[^A-Za-z0-9]/, 'f') || 'file';
  const declared = { size, filename: name, ...(type && { mimetype: type }) };
  const { url, fields } = await call('PUT', `${claims.files.member_location}/${key}`, declared);
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', bytes);
  // No token goes to a signed address.
  const answer = await fetch(url, { method: 'POST', body: form });
  if (!answer.ok) throw new Error(`the upload was refused with ${answer.status}`);
}

/** Shows what each row of the launch has now, or why it cannot be read. */
async function showRows() {
  const shown = Object.entries(claims.storage).map(async ([name, url]) => {
    const [term, value] = ['dt', 'dd'].map((tag) => document.createElement(tag));
    term.textContent = name;
    value.textContent = await call('GET', url).then(JSON.stringify, ({ message }) => message);
    return [term, value];
  });
  rows.replaceChildren(...(await Promise.all(shown)).flat());
}

async function save() {
  // A patch, not a put: another tab may write another key of the row meanwhile.
  const patch = [{ op: 'add', path: '/notes', value: text.value }];
  await call('PATCH', claims.storage.member_location, { patch });
  const [chosen] = file.files;
  if (chosen) await upload(chosen, chosen);
  await showRows();
  return chosen ? `Saved, with ${chosen.name}.` : 'Saved.';
}

async function handIn() {
  await save();
  if (claims.grade.submit === null) return 'Saved. This place has no gradebook column.';
  const words = text.value.split(/\s+/).filter(Boolean).length;
  const [score, comment] = [Math.min(1, words / 100), `${words} words`];
  const attempt = await call('POST', claims.grade.submit, { score, comment });
  if (attempt.status === 'failed') return `Not graded: ${attempt.data.error}`;
  return `Handed in: ${words} words, ${Math.round(attempt.score * 100)} %.`;
}

/** Does something and says what came of it. */
async function act(work) {
  try {
    said.textContent = await work();
  } catch (error) {
    said.textContent = `Not done: ${error.message}`;
  }
}

byId('notes').addEventListener('submit', (event) => {
  event.preventDefault();
  void act(save);
});
byId('submit').addEventListener('click', () => void act(handIn));

// Without preventDefault() the service sends the frame to its session-ended page.
document.body.addEventListener('service-session-expired', (event) => {
  if (!keep.checked) return;
  event.preventDefault();
  said.textContent = 'Your session has ended. Copy your text, then open the tool again.';
});

await act(async () => {
  const row = await call('GET', claims.storage.member_location);
  text.value = row.notes ?? '';
  await showRows();
  return row.notes === undefined ? 'Nothing saved yet.' : 'This is what you saved.';
});
