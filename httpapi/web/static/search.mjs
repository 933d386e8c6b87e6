// The search field: a combobox with a list of what was found. Arrows move, Enter goes there, Escape
// closes. Without scripts the form leads to /search.
import { aborted, explain } from './data.mjs';
import { attributes, element, node } from './dom.mjs';
import { search } from './places.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./places.mjs').Found} Found */

/** @param {App} app @param {(found: Found) => void} go */
export function attach(app, go) {
  const { words } = app,
    form = element('search'),
    list = element('results');
  const input = /** @type {HTMLInputElement} */ (form.querySelector('input'));
  /** @type {Found[]} */
  let results = [];
  let chosen = -1,
    timer = 0,
    running = new AbortController();

  const close = () => {
    clearTimeout(timer);
    running.abort(); // a late answer would open the list again
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
    chosen = -1;
  };
  const choose = (/** @type {number} */ i) => {
    const r = results[i];
    close();
    if (!r) return;
    input.value = r.title;
    go(r);
  };
  const option = (/** @type {Found} */ r, /** @type {number} */ i) => {
    const item = attributes(
      node('li', { id: 'result-' + i }, r.title, node('span', { className: 'quiet', textContent: r.note })),
      { role: 'option', 'aria-selected': 'false' },
    );
    item.addEventListener('pointerdown', (e) => e.preventDefault()); // the field keeps the focus
    item.addEventListener('click', () => choose(i));
    return item;
  };
  /** @param {Found[]} found @param {string} [notice] @param {string[]} [chips] what was understood */
  const show = (found, notice = '', chips = []) => {
    results = found;
    chosen = -1;
    const groups = [...new Set(found.map((r) => r.group))];
    list.replaceChildren(
      ...groups.map((g, k) =>
        attributes(
          node(
            'ul',
            {},
            attributes(node('li', { id: 'group-' + k, className: 'group', textContent: g }), { role: 'presentation' }),
            ...found.map((r, i) => (r.group === g ? option(r, i) : '')).filter((e) => e !== ''),
          ),
          { role: 'group', 'aria-labelledby': 'group-' + k },
        ),
      ),
    );
    if (notice) list.prepend(attributes(node('p', { textContent: notice }), { role: 'presentation' }));
    if (chips.length > 0)
      list.prepend(
        attributes(
          node(
            'p',
            { className: 'understood' },
            words.understood,
            ...chips.map((textContent) => node('span', { className: 'chip', textContent })),
          ),
          { role: 'presentation' },
        ),
      );
    list.hidden = found.length === 0 && !notice;
    input.setAttribute('aria-expanded', String(!list.hidden));
    app.announce([...chips, notice, found.length > 0 ? `${found.length} ${words.foundCount}` : ''].filter(Boolean).join('. '));
  };
  /** find shows what the text finds, and returns it; null when nobody waits for it any more. */
  const find = async () => {
    clearTimeout(timer);
    running.abort();
    const mine = (running = new AbortController());
    const text = input.value.trim().slice(0, 200);
    if (text.length < 2) {
      show([]);
      return null;
    }
    try {
      const { chips, note, found } = await search(app, text, mine.signal);
      if (mine.signal.aborted) return null;
      show(found, note || (found.length > 0 ? '' : words.searchNothing), chips);
      return found;
    } catch (e) {
      if (!aborted(e) && !mine.signal.aborted) show([], explain(e, words));
      return null;
    }
  };
  const move = (/** @type {number} */ to) => {
    chosen = (to + results.length) % results.length;
    results.forEach((_, i) =>
      document.getElementById('result-' + i)?.setAttribute('aria-selected', String(i === chosen)),
    );
    input.setAttribute('aria-activedescendant', 'result-' + chosen);
    document.getElementById('result-' + chosen)?.scrollIntoView({ block: 'nearest' });
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => find(), 250);
  });
  input.addEventListener('focus', () => {
    if (results.length > 0 && input.value) {
      list.hidden = false;
      input.setAttribute('aria-expanded', 'true');
    }
  });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (e) => {
    if (e.key === 'Escape' && !list.hidden) {
      e.preventDefault();
      e.stopPropagation();
      close();
      return;
    }
    if (e.altKey || results.length === 0 || (e.key !== 'ArrowDown' && e.key !== 'ArrowUp')) return;
    e.preventDefault();
    if (list.hidden) {
      list.hidden = false;
      input.setAttribute('aria-expanded', 'true');
    }
    move(e.key === 'ArrowDown' ? chosen + 1 : chosen < 0 ? results.length - 1 : chosen - 1);
  });
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    if (chosen >= 0) {
      choose(chosen);
      return;
    }
    const found = await find();
    if (found && found.length > 0 && found === results) choose(0);
  });
}
