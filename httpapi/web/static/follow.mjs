// "Follow what I see": links to the feed of what changes in sight, under the filters that feeds have.
import { node } from './dom.mjs';
import { filtersOf } from './state.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').App} App */

const near = 5; // kilometres around a chosen point

/**
 * feedOf returns the parameters of the feed of what is in sight: around the chosen point, else in the
 * view unless that has the whole market.
 * @param {App} app
 */
export function feedOf(app, market = app.market()) {
  const { operator, generation, band } = filtersOf(market, app.state);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ operator, generation, band })) if (value) query.set(name, value);
  const [west, south, east, north] = app.view().box,
    [w, s, e, n] = market.bounds;
  if (app.state.from) {
    query.set('lat', String(app.state.from.lat));
    query.set('lon', String(app.state.from.lng));
    query.set('radiusKm', String(near));
  } else if (west > w || south > s || east < e || north < n) {
    query.set('bbox', [west, south, east, north].map((v) => Number(v.toFixed(4))).join(','));
  }
  query.set('lang', app.words.lang);
  return { code: market.code, query: query.toString().replaceAll('%2C', ',') };
}

/** update makes the links of the page lead to the feed of what is in sight. @param {App} app */
export function update(app) {
  const link = (/** @type {ReturnType<typeof feedOf>} */ { code, query }, /** @type {string} */ kind) =>
    url(`/feeds/${code}${kind}?${query}`);
  for (const e of document.querySelectorAll('[data-follow]')) {
    e.setAttribute('href', link(feedOf(app), e.getAttribute('data-follow') ?? ''));
  }
  document.getElementById('follow-more')?.replaceChildren(
    ...app
      .inSight()
      .slice(1, 4)
      .map((m) => node('a', { href: link(feedOf(app, m), ''), textContent: m.label })),
  );
}
