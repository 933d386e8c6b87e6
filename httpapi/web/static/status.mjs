// What the page says around and over the map: whose data it is, how many sites match, messages, and the
// links to other languages.
import { ask, Refusal } from './data.mjs';
import { element, node } from './dom.mjs';
import { config } from './early.mjs';
import { filtersOf, serves } from './state.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */

/** tell shows a message over the map. @param {string} text @param {() => void} [again] what its button does */
export function tell(text, again) {
  const button = node('button', { type: 'button', textContent: config.words.tryAgain });
  button.addEventListener('click', () => {
    tell('');
    again?.();
  });
  element('message').replaceChildren(text, ...(again ? [button] : []));
  element('message').hidden = text === '';
}

/** links keeps the state in the links to other languages. */
export function links() {
  const query = new URLSearchParams(location.search);
  for (const a of document.querySelectorAll('.languages a')) {
    query.set('lang', a.getAttribute('hreflang') ?? '');
    a.setAttribute('href', `${location.pathname}?${query.toString().replaceAll('%2C', ',')}${location.hash}`);
  }
}

let turn = 0;

/** count says how many sites the filters select of each market in sight. @param {App} app */
export async function count(app) {
  const mine = ++turn; // a later call counts, whichever answer comes last
  const seen = app.inSight();
  const lines = await Promise.all(seen.map((m) => countOf(app, m)));
  const target = document.getElementById('matches');
  if (!target || mine !== turn) return;
  const text = (/** @type {number} */ i) => (seen.length > 1 ? `${seen[i].label}: ` : '') + lines[i];
  target.replaceChildren(...lines.flatMap((_, i) => [...(i > 0 ? [node('br')] : []), text(i)]));
}

/** @param {App} app @param {Market} m @returns {Promise<string>} */
async function countOf({ words, state }, m) {
  const all = `${m.sites.toLocaleString(words.lang)} ${words.sites}`;
  if (JSON.stringify(filtersOf(m, state)) === '{}' && serves(m, state)) return all;
  if (!serves(m, state)) return words.noMatchMarket;
  try {
    const { meta } = await ask('/antennas', { market: m.code, ...filtersOf(m, state), limit: 1 });
    return meta.totalMatched === 0 ? words.noMatchMarket : `${meta.totalMatched.toLocaleString(words.lang)} / ${all}`;
  } catch (e) {
    // this server may not keep the edition that it serves; of other errors the tiles speak
    return e instanceof Refusal && e.status === 404 ? words.noEdition : all;
  }
}

/** source says whose data it is and how old, of each market in sight. @param {App} app */
export function source(app) {
  const { words } = app,
    seen = app.inSight();
  element('source').replaceChildren(
    ...seen.slice(0, 3).map((m) => node('span', {}, ...sourceOf(words, m))),
    ...(seen.length > 3 ? [node('span', { textContent: seen.slice(3).map((m) => m.label).join(', ') })] : []),
  );
}

/** @param {import('./types.d.ts').Words} words @param {Market} m */
function sourceOf(words, m) {
  const day = new Date(m.date + 'T00:00:00Z'),
    age = Math.round((Date.now() - day.getTime()) / 864e5);
  const ago = new Intl.RelativeTimeFormat(words.lang, { numeric: 'auto' });
  const time = node('time', {
    dateTime: m.date,
    textContent: day
      .toLocaleDateString(words.locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
      .replace(' ', '\u00a0'), // no line ends after the day
    title: age < 60 ? ago.format(-age, 'day') : ago.format(-Math.round(age / 30.4), 'month'),
  });
  return [
    m.synthetic ? node('strong', { textContent: words.synthetic }) : m.source,
    ' · ',
    time,
    ...(age > 60 ? [` (${time.title})`] : []),
    ` · ${m.sites.toLocaleString(words.lang)} ${words.sites}`,
  ];
}
