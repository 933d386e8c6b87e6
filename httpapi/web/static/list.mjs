// The sites in sight as a list next to the map: it works with the keyboard and with screen readers,
// and Alt with the arrows moves from site to site wherever the focus is.
import { ask } from './data.mjs';
import { attributes, element, node, readable } from './dom.mjs';
import { bearing, compass, distance, metres } from './geo.mjs';
import { keptSites } from './kept.mjs';
import { light } from './lit.mjs';
import { operatorsOf } from './marks.mjs';
import { inSight } from './sites.mjs';
import { active, filtersOf, none } from './state.mjs';
import * as tip from './tip.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Mark} Mark */

const most = 200;
/** @type {Mark[]} */
let marks = [];
/** Communes and addresses, by key. @type {Map<string, string>} */
const names = new Map();
let asked = '',
  timer = 0;

/** isOpen reports whether the list is the panel's page. */
export const isOpen = () => !element('sites').hidden;

/** @param {App} app @param {string} text @param {string} [label] @param {() => void} [action] */
function nothing(app, text, label = '', action = () => {}) {
  const b = node('button', { type: 'button', className: 'clear', textContent: label });
  b.addEventListener('click', action);
  element('list').replaceChildren(
    node('li', { className: 'quiet', textContent: text }),
    ...(label ? [node('li', {}, b)] : []),
  );
}

/** refresh shows what is in sight now, the nearest to the middle first. @param {App} app */
export function refresh(app) {
  const { words } = app,
    middle = app.view(),
    found = inSight(app);
  marks = found.marks.sort((a, b) => distance(middle, a) - distance(middle, b));
  const all = [...found.counts.values()].reduce((a, b) => a + b, 0);
  element('tab-sites').textContent = `${words.sitesInView} (${all.toLocaleString(words.lang)})`;
  if (!isOpen()) return;
  if (all > 0 && marks.length === 0) {
    nothing(app, words.zoomIn);
    return;
  }
  if (marks.length === 0) {
    if (active(app.state) > 0) nothing(app, words.noMatch, words.clearFilters, () => app.set(none));
    else nothing(app, words.noneHere);
    return;
  }
  const focus = document.activeElement?.id;
  const only = words.onlyNearest.replace('%s', String(most));
  const rest = marks.length > most ? [node('li', { className: 'quiet', textContent: only })] : [];
  element('list').replaceChildren(...marks.slice(0, most).map((m) => row(app, m, middle)), ...rest);
  if (focus?.startsWith('row-')) document.getElementById(focus)?.focus();
  learnNames(app);
}

/** @param {App} app @param {Mark} m @param {import('./types.d.ts').Point} middle */
function row(app, m, middle) {
  const { words } = app;
  const where = `${metres(distance(middle, m), words.lang)} ${compass(bearing(middle, m), words)}`;
  const b = attributes(
    node(
      'button',
      { type: 'button', id: 'row-' + m.key },
      node('strong', { textContent: names.get(m.key) ?? m.key }),
      node('small', { textContent: `${names.has(m.key) ? m.key + ' · ' : ''}${where}` }),
      node('span', { textContent: operatorsOf(m.market, m.ops).join(', ') }),
    ),
    { 'aria-current': String(m.key === app.state.site) },
  );
  b.addEventListener('click', () => app.set({ site: m.key }));
  b.addEventListener('focus', () => point(app, m));
  b.addEventListener('pointerenter', () => point(app, m));
  b.addEventListener('pointerleave', () => {
    tip.hide();
    light(app, 'hover', '');
  });
  b.addEventListener('blur', () => {
    tip.hide();
    light(app, 'hover', '');
  });
  return node('li', {}, b);
}

/** point shows on the map which site the focus is on. @param {App} app @param {Mark} m */
function point(app, m) {
  if (!app.map) return;
  tip.show(app.map.project([m.lng, m.lat]), ...tip.site(m, app));
  light(app, 'hover', m.key);
}

/** learnNames asks once for the communes of what is in sight. @param {App} app */
function learnNames(app) {
  if (marks.slice(0, most).every((m) => names.has(m.key))) return;
  const bbox = app
    .view()
    .box.map((v) => v.toFixed(4))
    .join(',');
  const queries = [...new Set(marks.map((m) => m.market))].map((m) => ({
    market: m.code,
    ...filtersOf(m, app.state),
    bbox,
    limit: 1000,
  }));
  const wish = JSON.stringify(queries);
  if (wish === asked) return;
  clearTimeout(timer);
  timer = window.setTimeout(async () => {
    asked = wish;
    const kept = async () => ({ data: [...(await keptSites()).values()] });
    const answers = await Promise.all(queries.map((q) => ask('/antennas', q).catch(kept)));
    const data = answers.flatMap((a) => a.data);
    for (const s of data)
      names.set(s.siteKey, [s.location.address, s.location.commune].filter(Boolean).map(readable).join(', ') || s.siteKey);
    if (names.size > 5000) names.clear();
    if (data.length > 0) refresh(app);
  }, 500);
}

/**
 * step chooses the next or previous site of the list.
 * @param {App} app @param {number} by
 */
function step(app, by) {
  const { words } = app;
  if (marks.length === 0) {
    app.announce(words.zoomIn);
    return;
  }
  const now = marks.findIndex((m) => m.key === app.state.site);
  const m = marks[now < 0 ? (by > 0 ? 0 : marks.length - 1) : (now + by + marks.length) % marks.length];
  app.set({ site: m.key });
  document.getElementById('row-' + m.key)?.scrollIntoView({ block: 'nearest' });
  for (const b of element('list').querySelectorAll('button'))
    b.setAttribute('aria-current', String(b.id === 'row-' + m.key));
  app.announce(
    [
      names.get(m.key) ?? m.key,
      operatorsOf(m.market, m.ops).join(', '),
      `${marks.indexOf(m) + 1} / ${marks.length}`,
    ].join('. '),
  );
}

/** attach makes Alt and the arrows work. @param {App} app */
export function attach(app) {
  addEventListener('keydown', (e) => {
    if (!e.altKey || e.ctrlKey || e.metaKey) return;
    // left and right are the browser's "back" and "forward" elsewhere
    const onMap = e.target instanceof Node && element('map').contains(e.target);
    const by =
      e.key === 'ArrowDown' || (onMap && e.key === 'ArrowRight')
        ? 1
        : e.key === 'ArrowUp' || (onMap && e.key === 'ArrowLeft')
          ? -1
          : 0;
    if (by === 0) return;
    e.preventDefault();
    step(app, by);
  });
}
