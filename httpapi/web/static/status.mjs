// What the page says around the map: whose data it is, how many sites match, and the link to the other
// language.
import { ask, Refusal } from './data.mjs';
import { datesOf, element, node } from './dom.mjs';
import { filtersOf, serves } from './state.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */

/** links keeps the state in the link to the other language. @param {App} app */
export function links({ words }) {
  const a = /** @type {HTMLAnchorElement} */ (document.querySelector('a.lang'));
  const query = new URLSearchParams(location.search);
  query.set('lang', words.otherLang);
  a.href = `${location.pathname}?${query.toString().replaceAll('%2C', ',')}${location.hash}`;
}

let turn = 0;

/** count says how many sites the filters select. @param {App} app */
export async function count(app) {
  const { words } = app,
    m = app.market();
  const mine = ++turn; // a later call counts, whichever answer comes last
  const target = document.getElementById('matches');
  if (!target || JSON.stringify(filtersOf(m, app.state)) === '{}') {
    if (target) target.textContent = '';
    return;
  }
  if (!serves(m, app.state)) {
    target.textContent = words.noMatchMarket;
    return;
  }
  try {
    const { meta } = await ask('/antennas', { market: m.code, ...filtersOf(m, app.state), limit: 1 });
    const now = document.getElementById('matches');
    if (now && mine === turn)
      now.textContent =
        meta.totalMatched === 0
          ? words.noMatchMarket
          : `${meta.totalMatched.toLocaleString(words.lang)} / ${m.sites.toLocaleString(words.lang)} ${words.sites}`;
  } catch (e) {
    // this server may not keep the edition that it serves; of other errors the tiles speak
    const now = document.getElementById('matches');
    if (now && mine === turn && e instanceof Refusal && e.status === 404) now.textContent = words.noEdition;
  }
}

/** source says whose data it is and how old. @param {App} app @param {Market} m */
export function source({ words }, m) {
  const day = new Date(m.date + 'T00:00:00Z'),
    age = Math.round((Date.now() - day.getTime()) / 864e5);
  const ago = new Intl.RelativeTimeFormat(words.lang, { numeric: 'auto' });
  const time = node('time', {
    dateTime: m.date,
    textContent: day.toLocaleDateString(datesOf(words), {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    }),
    title: age < 60 ? ago.format(-age, 'day') : ago.format(-Math.round(age / 30.4), 'month'),
  });
  element('source').replaceChildren(
    m.synthetic ? node('strong', { textContent: words.synthetic }) : m.source,
    ' · ',
    time,
    ...(age > 60 ? [` (${time.title})`] : []),
    ` · ${m.sites.toLocaleString(words.lang)} ${words.sites}`,
  );
}
