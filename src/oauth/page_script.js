for (const t of document.querySelectorAll('time[datetime]')) {
  const date = new Date(t.dateTime), options = t.dataset.show === 'clock' ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' };
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
