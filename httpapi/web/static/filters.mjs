// The panel's page of filters and layers.
import { attributes, element, node } from './dom.mjs';
import { picture, sign } from './marks.mjs';
import { overlays } from './overlays.mjs';
import { active, generations, none } from './state.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').State} State */

/** @param {string[]} list @param {string} value */
const toggled = (list, value) => (list.includes(value) ? list.filter((v) => v !== value) : [...list, value].sort());

/** @param {string} id @param {string} text @param {boolean} checked @param {() => void} change */
function box(id, text, checked, change) {
  const input = node('input', { type: 'checkbox', id, checked });
  input.addEventListener('change', change);
  return node('label', {}, input, node('span', { textContent: text }));
}

/** @param {string} title @param {...Node} children */
const group = (title, ...children) => node('fieldset', {}, node('legend', { textContent: title }), ...children);

/**
 * chips are values of which any can be chosen; without a chosen one all count.
 * @param {string} prefix @param {{ value: string, label?: string, sign?: Node }[]} values
 * @param {string[]} chosen @param {(list: string[]) => void} change
 */
function chips(prefix, values, chosen, change) {
  return node(
    'div',
    { className: 'row' },
    ...values.map(({ value, label = value, sign }) => {
      const b = attributes(node('button', { type: 'button', id: prefix + value }, ...(sign ? [sign] : []), label), {
        'aria-pressed': String(chosen.includes(value)),
      });
      b.addEventListener('click', () => change(toggled(chosen, value)));
      return b;
    }),
  );
}

const plain = (/** @type {string[]} */ values) => values.map((value) => ({ value }));

/** operators has a group of chips for each market in sight. @param {App} app */
function operators(app) {
  const { words, state } = app,
    seen = app.inSight();
  return seen.map((market, at) => {
    const values = market.operators
      .map((o, i) => ({ value: o.key, label: o.label, sign: picture(sign(market, i, 16)) }))
      .sort((a, b) => a.label.localeCompare(b.label, words.lang));
    const row = chips('operator-', values, state.operators, (list) => app.set({ operators: list }));
    if (seen.length === 1) return group(words.operators, row);
    const open = at < 2 || market.operators.some((o) => state.operators.includes(o.key));
    const name = node('summary', { textContent: words.operatorsOf.replace('%s', market.label) });
    return node('details', { open }, name, row);
  });
}

/** @param {App} app @param {string[]} values */
function status(app, values) {
  const { words, state } = app;
  const select = node(
    'select',
    { id: 'status' },
    node('option', { value: '', textContent: words.anyStatus }),
    ...values.map((v) =>
      node('option', { value: v, textContent: words['status_' + v] ?? v, selected: v === state.status }),
    ),
  );
  select.setAttribute('aria-label', words.status);
  select.addEventListener('change', () => app.set({ status: select.value }));
  return select;
}

/** @param {string[][]} lists */
const union = (lists) => [...new Set(lists.flat())];

/**
 * show fills the page for the markets in sight.
 * @param {App} app @param {Record<string, string>} notes what to say of each layer
 */
export function show(app, notes) {
  const { words, state } = app,
    seen = app.inSight();
  const focus = document.activeElement?.id;
  const clear = node('button', {
    type: 'button',
    className: 'clear',
    id: 'clear',
    textContent: words.clearFilters,
    disabled: active(state) === 0,
  });
  clear.addEventListener('click', () => app.set(none));
  const layers = Object.entries(overlays)
    .filter(([, o]) => seen.some(o.serves))
    .flatMap(([name]) => [
      box('layer-' + name, words['layer_' + name], state.layers.includes(name), () =>
        app.set({ layers: toggled(state.layers, name) }),
      ),
      ...(notes[name] ? [node('p', { className: 'note', textContent: notes[name] })] : []),
    ]);
  const bands = union(seen.map((m) => m.bands)).sort((a, b) => Number(a) - Number(b)),
    statuses = union(seen.map((m) => m.statuses ?? []));
  const several = state.operators.length + state.generations.length + state.bands.length > 1;
  element('filters').replaceChildren(
    node('div', { className: 'sum' }, node('p', { id: 'matches' }), clear),
    ...operators(app),
    group(
      words.generation,
      chips('generation-', plain(generations), state.generations, (list) => app.set({ generations: list })),
    ),
    ...(bands.length > 0
      ? [
          group(
            words.bands,
            chips('band-', plain(bands), state.bands, (list) => app.set({ bands: list })),
          ),
        ]
      : []),
    ...(several || state.together
      ? [box('together', words.togetherFilter, state.together, () => app.set({ together: !state.together }))]
      : []),
    ...(statuses.length > 0 ? [group(words.status, status(app, statuses))] : []),
    ...(seen.some((m) => m.changes)
      ? [box('changed', words.changedFilter, state.changed, () => app.set({ changed: !state.changed }))]
      : []),
    ...(app.map ? [group(words.layers, ...layers)] : []),
  );
  if (focus) document.getElementById(focus)?.focus();
  const badge = /** @type {HTMLElement} */ (document.querySelector('#menu .badge'));
  badge.textContent = String(active(state));
  badge.hidden = active(state) === 0;
}

/** attach makes the panel's pages work. @param {App} app @param {() => void} listed */
export function attach(app, listed) {
  const tabs = [element('tab-filters'), element('tab-sites')];
  const pages = [element('filters'), element('sites')];
  const choose = (/** @type {number} */ i) => {
    tabs.forEach((t, k) => {
      t.setAttribute('aria-selected', String(k === i));
      t.tabIndex = k === i ? 0 : -1;
      pages[k].hidden = k !== i;
    });
    if (i === 1) listed();
  };
  tabs.forEach((t, i) => {
    t.addEventListener('click', () => choose(i));
    t.addEventListener('keydown', (e) => {
      if (e.altKey || (e.key !== 'ArrowRight' && e.key !== 'ArrowLeft')) return;
      choose(1 - i);
      tabs[1 - i].focus();
    });
  });
  const menu = element('menu'),
    panel = element('panel');
  const open = (/** @type {boolean} */ on) => {
    panel.toggleAttribute('data-open', on);
    menu.setAttribute('aria-expanded', String(on));
  };
  menu.addEventListener('click', () => open(!panel.hasAttribute('data-open')));
  panel.addEventListener('keydown', (e) => {
    if (e.key === 'Escape' && panel.hasAttribute('data-open')) {
      open(false);
      menu.focus();
    }
  });
  // on a phone the panel covers the map: a chosen site must be seen
  element('list').addEventListener('click', () => open(false));
  element('show').addEventListener('click', () => open(false));
}
