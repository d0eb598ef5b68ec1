// The little that moves: theme, filter, copy. The page is whole without it.
export const SCRIPT = `
(() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  root.classList.add('js');

  const keep = (key, value) => { try { value === undefined ? 0 : localStorage.setItem(key, value); return localStorage.getItem(key); } catch { return null; } };
  const system = matchMedia('(prefers-color-scheme: dark)');
  const theme = find('#theme');
  const dress = () => {
    const dark = (keep('runcert-theme') ?? (system.matches ? 'dark' : 'light')) === 'dark';
    root.dataset.theme = dark ? 'dark' : 'light';
    if (theme) { theme.textContent = dark ? 'Light' : 'Dark'; theme.setAttribute('aria-label', dark ? 'Change to light colours' : 'Change to dark colours'); }
  };
  dress();
  system.addEventListener('change', dress);
  theme?.addEventListener('click', () => {
    const next = root.dataset.theme === 'dark' ? 'light' : 'dark';
    keep('runcert-theme', next);
    root.dataset.theme = next;
    dress();
  });

  const search = find('#search'), standing = find('#standing'), level = find('#level'), shown = find('#shown');
  const clauses = all('.clause').map((row) => ({ row, words: row.textContent.toLowerCase() }));
  const filter = () => {
    const wanted = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const { row, words } of clauses) {
      const fits = wanted.every((word) => words.includes(word)) && (!standing.value || row.dataset.standing === standing.value) && (!level.value || row.dataset.level === level.value);
      row.hidden = !fits;
      if (fits) count++;
    }
    for (const group of all('.group')) group.hidden = !group.querySelector('.clause:not([hidden])');
    find('#none').hidden = count > 0;
    shown.textContent = count === clauses.length ? clauses.length + ' clauses' : count + ' of ' + clauses.length + ' clauses';
  };
  if (search) {
    for (const control of [search, standing, level]) control.addEventListener('input', filter);
    find('#clear').addEventListener('click', () => { search.value = standing.value = level.value = ''; filter(); search.focus(); });
    addEventListener('keydown', (event) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName ?? '');
      if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); search.focus(); }
      if (event.key === 'Escape' && event.target === search) { search.value = ''; filter(); }
    });
    filter();
  }

  const cards = all('.card h3 a');
  addEventListener('keydown', (event) => {
    if (!/^[jk]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName ?? '')) return;
    const edge = 80;
    const tops = cards.map((card) => card.closest('.card').getBoundingClientRect().top);
    const at = event.key === 'j' ? tops.findIndex((top) => top > edge) : tops.findLastIndex((top) => top < edge - 20);
    if (at < 0) return;
    cards[at].closest('.card').scrollIntoView();
    cards[at].focus({ preventScroll: true });
  });

  const open = () => {
    const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (!target) return;
    if (target.hidden && search) { search.value = standing.value = level.value = ''; filter(); }
    if (target.tagName === 'DETAILS') { target.open = true; target.querySelector('summary').focus({ preventScroll: true }); }
    target.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();

  for (const button of all('.copy')) button.addEventListener('click', async () => {
    const text = button.parentElement.querySelector('code').textContent;
    try { await navigator.clipboard.writeText(text); } catch {
      const range = document.createRange();
      range.selectNodeContents(button.parentElement.querySelector('code'));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      try { document.execCommand('copy'); } catch {}
    }
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
})();
`;
