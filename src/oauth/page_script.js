for (const t of document.querySelectorAll('time[datetime]')) {
  const date = new Date(t.dateTime);
  const options = { clock: { timeStyle: 'short' }, day: { dateStyle: 'full', timeZone: 'UTC' } }[t.dataset.show] ?? { dateStyle: 'medium', timeStyle: 'short' };
  t.title = t.textContent;
  t.textContent = date.toLocaleString([], options);
}
for (const code of navigator.clipboard ? document.querySelectorAll('code.copy') : []) {
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'small copier', textContent: 'Copy' });
  button.setAttribute('aria-label', `Copy ${code.textContent}`);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  });
  const row = Object.assign(document.createElement('div'), { className: 'copied' });
  code.replaceWith(row);
  row.append(code, button);
}
for (const list of document.querySelectorAll('ul.folders')) {
  const rows = [...list.querySelectorAll('li')].slice(0, -1), field = document.createElement('input');
  if (12 > rows.length) continue;
  Object.assign(field, { type: 'search', placeholder: `Filter ${rows.length} of them`, className: 'among' });
  field.setAttribute('aria-label', 'Filter the list');
  field.addEventListener('input', () => { for (const row of rows) row.hidden = !row.querySelector('bdi').textContent.toLowerCase().includes(field.value.trim().toLowerCase()); });
  field.addEventListener('keydown', (e) => e.key === 'Enter' && e.preventDefault());
  list.before(field);
}
