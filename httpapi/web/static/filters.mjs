// The panel's page of filters and layers.
import { attributes, element, node } from './dom.mjs';
import { mark, picture } from './marks.mjs';
import { overlays } from './overlays.mjs';
import { active, generations, none } from './state.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').State} State */

/** @param {string[]} list @param {string} value */
const toggled = (list, value) => (list.includes(value) ? list.filter((v) => v !== value) : [...list, value].sort());

/** @param {string} id @param {string} text @param {boolean} checked @param {() => void} change @param {Node} [sign] */
function box(id, text, checked, change, sign) {
  const input = node('input', { type: 'checkbox', id, checked });
  input.addEventListener('change', change);
  return node('label', {}, input, ...(sign ? [sign] : []), node('span', { textContent: text }));
}

/** @param {string} title @param {...Node} children */
const group = (title, ...children) => node('fieldset', {}, node('legend', { textContent: title }), ...children);

/** @param {string} prefix @param {string[]} values @param {string[]} chosen @param {(list: string[]) => void} change */
function chips(prefix, values, chosen, change) {
  return node(
    'div',
    { className: 'row' },
    ...values.map((v) => {
      const b = attributes(node('button', { type: 'button', id: prefix + v, textContent: v }), {
        'aria-pressed': String(chosen.includes(v)),
      });
      b.addEventListener('click', () => change(toggled(chosen, v)));
      return b;
    }),
  );
}

/** @param {App} app */
function operators(app) {
  const market = app.market(),
    { state } = app,
    all = market.operators.map((o) => o.key);
  const chosen = state.operators.filter((key) => all.includes(key));
  return market.operators.map((o, i) =>
    box(
      'operator-' + o.key,
      o.label,
      chosen.length === 0 || chosen.includes(o.key),
      () => {
        const now = chosen.length === 0 ? all.filter((key) => key !== o.key) : toggled(chosen, o.key);
        // all of them on one site is another wish than any of them
        app.set({ operators: !state.together && all.every((key) => now.includes(key)) ? [] : now });
      },
      picture(mark(market, 2 ** i, 2 ** i, 5, 18)),
    ),
  );
}

/**
 * together turns the filter on or off that every chosen value is on a site. Where nothing is chosen,
 * it is about the operators.
 * @param {App} app
 */
function together(app) {
  const { state } = app,
    all = app.market().operators.map((o) => o.key);
  if (state.together) {
    const full = all.length === state.operators.length && all.every((key) => state.operators.includes(key));
    app.set({ together: false, operators: full ? [] : state.operators });
    return;
  }
  const nothing = state.operators.length + state.generations.length + state.bands.length === 0;
  app.set({ together: true, operators: nothing ? all.sort() : state.operators });
}

/** @param {App} app */
function status(app) {
  const { words, state } = app,
    values = app.market().statuses ?? [];
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

/**
 * show fills the page for the market in sight.
 * @param {App} app @param {Record<string, string>} notes what to say of each layer
 */
export function show(app, notes) {
  const { words, state } = app,
    market = app.market();
  const focus = document.activeElement?.id;
  const clear = node('button', {
    type: 'button',
    className: 'clear',
    id: 'clear',
    textContent: words.clearFilters,
    hidden: active(state) === 0,
  });
  clear.addEventListener('click', () => app.set(none));
  const layers = Object.entries(overlays)
    .filter(([, o]) => o.serves(market))
    .flatMap(([name]) => [
      box('layer-' + name, words['layer_' + name], state.layers.includes(name), () =>
        app.set({ layers: toggled(state.layers, name) }),
      ),
      ...(notes[name] ? [node('p', { className: 'note', textContent: notes[name] })] : []),
    ]);
  const statuses = market.statuses ?? [];
  element('filters').replaceChildren(
    group(words.operators, ...operators(app)),
    group(
      words.generation,
      chips('generation-', generations, state.generations, (list) => app.set({ generations: list })),
    ),
    ...(market.bands.length > 0
      ? [
          group(
            words.bands,
            chips('band-', market.bands, state.bands, (list) => app.set({ bands: list })),
          ),
        ]
      : []),
    box('together', words.togetherFilter, state.together, () => together(app)),
    ...(statuses.length > 0 ? [group(words.status, status(app))] : []),
    ...(market.changes
      ? [box('changed', words.changedFilter, state.changed, () => app.set({ changed: !state.changed }))]
      : []),
    node('p', { id: 'matches', className: 'note' }),
    clear,
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
