// Without WebGL2 there is no map. The same filters and the same search then fill a list of the same
// box, from the same data.
import { ask, explain } from './data.mjs';
import { attributes, element, node, readable } from './dom.mjs';
import { bearing, compass, distance, metres } from './geo.mjs';
import { labels } from './places.mjs';
import { filtersOf, serves } from './state.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').App} App */

const rows = 100;

/**
 * viewOf reads the place of the address, as MapLibre would, or else the home market.
 * @param {import('./types.d.ts').Market} home
 * @returns {import('./types.d.ts').View}
 */
export function viewOf(home) {
  const m = /(?:^#|&)map=(\d{1,2}(?:\.\d+)?)\/(-?\d{1,2}(?:\.\d+)?)\/(-?\d{1,3}(?:\.\d+)?)/.exec(
    location.hash.slice(0, 200),
  );
  const [w, s, e, n] = home.bounds;
  if (!m || Number(m[2]) > 85 || Number(m[2]) < -85 || Math.abs(Number(m[3])) > 180)
    return { lng: (w + e) / 2, lat: (s + n) / 2, zoom: 5, box: [...home.bounds] };
  const zoom = Math.min(22, Number(m[1])),
    lat = Number(m[2]),
    lng = Number(m[3]),
    wide = 360 / 2 ** zoom,
    high = wide * Math.cos((lat * Math.PI) / 180) * 0.6;
  return {
    lng,
    lat,
    zoom,
    box: [Math.max(-180, lng - wide), Math.max(-85, lat - high), Math.min(180, lng + wide), Math.min(85, lat + high)],
  };
}

let turn = 0;

/** show fills the map's place. @param {App} app */
export async function show(app) {
  const { words } = app,
    view = app.view(),
    market = app.market(),
    place = element('map');
  const mine = ++turn; // a later call counts, whichever answer comes last
  const near = url(`/near?lat=${view.lat.toFixed(5)}&lon=${view.lng.toFixed(5)}&lang=${words.lang}`);
  const why = node(
    'p',
    { className: 'notice' },
    words.noWebGL,
    ' ',
    node('a', { href: near, textContent: words.nearPage }),
    ' · ',
    node('a', { href: url(`/search?lang=${words.lang}`), textContent: words.searchPage }),
  );
  if (!serves(market, app.state)) {
    place.replaceChildren(why, node('p', { className: 'notice', textContent: words.noMatchMarket }));
    return;
  }
  try {
    const query = {
      market: market.code,
      ...filtersOf(market, app.state),
      bbox: view.box.map((v) => v.toFixed(5)).join(','),
      limit: 1000,
    };
    const { data, meta } = await ask('/antennas', query);
    if (mine !== turn) return;
    const sorted = data
      .sort(
        (/** @type {any} */ a, /** @type {any} */ b) => distance(view, a.coordinates) - distance(view, b.coordinates),
      )
      .slice(0, rows);
    const head = [words.siteColumn, words.operators, words.technologyColumn, words.distanceColumn].map((t) =>
      attributes(node('th', { textContent: t }), { scope: 'col' }),
    );
    const body = sorted.map((/** @type {any} */ s) => {
      const open = node('a', {
        href: url(`/site/${encodeURIComponent(s.siteKey)}?lang=${words.lang}`),
        textContent: [s.location.address, s.location.commune].filter(Boolean).map(readable).join(', ') || s.siteKey,
      });
      open.addEventListener('click', (e) => {
        e.preventDefault();
        app.set({ site: s.siteKey });
      });
      return node(
        'tr',
        {},
        attributes(node('th', {}, open, node('small', { textContent: s.siteKey })), { scope: 'row' }),
        node('td', { textContent: labels(s, app) }),
        node('td', { textContent: s.technologies.join(', ') }),
        node('td', {
          textContent: [
            metres(distance(view, s.coordinates), words.lang),
            compass(bearing(view, s.coordinates), words),
          ].join(' '),
        }),
      );
    });
    const [shown, all] = [sorted.length, meta.totalMatched].map((n) => n.toLocaleString(words.lang));
    const caption = `${shown} / ${all} ${words.sites} · ${view.lat.toFixed(4)}, ${view.lng.toFixed(4)}`;
    place.replaceChildren(
      why,
      ...(sorted.length > 0
        ? [
            node(
              'table',
              { className: 'instead' },
              node('caption', { textContent: caption }),
              node('thead', {}, node('tr', {}, ...head)),
              node('tbody', {}, ...body),
            ),
          ]
        : [node('p', { className: 'notice', textContent: words.noneHere })]),
    );
  } catch (e) {
    if (mine !== turn) return;
    place.replaceChildren(why, node('p', { className: 'notice', textContent: explain(e, words) }));
  }
}
