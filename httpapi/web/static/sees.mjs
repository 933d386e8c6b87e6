// Which sites see a point: those near it with a sector that looks at it. Terrain and buildings are
// not known here, and the table says so.
import * as card from './card.mjs';
import { ask, explain } from './data.mjs';
import { attributes, node } from './dom.mjs';
import { bearing, compass, distance, metres, nearest } from './geo.mjs';
import * as lines from './lines.mjs';
import { details, sectorsOf } from './lit.mjs';
import { operatorsOf } from './marks.mjs';
import { labels } from './places.mjs';
import { filtersOf, serves } from './state.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Point} Point */

// Degrees from a sector's axis within which it looks at a point: half of the 120° that three
// sectors share. Sites asked in full, and how far around in kilometres: first near, then far.
const halfSector = 60,
  mostSites = 12,
  radii = [5, 20];

/**
 * @typedef {object} Seen
 * @property {string} key @property {Point} at @property {number} metres
 * @property {number} direction from the point to the site
 * @property {{ azimuth: number, off: number, ops: number } | null} sector the nearest, null where none is stated
 * @property {boolean} sees @property {string} operators
 */

/** @param {App} app @param {Point} from @returns {Promise<Seen[]>} */
async function find(app, from) {
  const market = app.market();
  let list = [];
  if (!serves(market, app.state)) return [];
  for (const radiusKm of radii) {
    const query = {
      market: market.code,
      ...filtersOf(market, app.state),
      lat: from.lat,
      lon: from.lng,
      radiusKm,
      limit: mostSites,
    };
    list = (await ask('/antennas', query)).data;
    if (list.length > 2) break;
  }
  return Promise.all(
    list.map(async (/** @type {any} */ s) => {
      const at = s.coordinates,
        sectors = sectorsOf(await details(s.siteKey), market);
      const back = bearing(at, from),
        hit = nearest(
          sectors.map((x) => x.azimuth),
          back,
        );
      const sector = hit && { ...hit, ops: sectors.find((x) => x.azimuth === hit.azimuth)?.ops ?? 0 };
      const operators = sector ? operatorsOf(market, sector.ops).join(', ') : labels(s, app);
      return {
        key: s.siteKey,
        at,
        metres: distance(from, at),
        direction: bearing(from, at),
        sector,
        sees: Boolean(hit && hit.off <= halfSector),
        operators,
      };
    }),
  );
}

/**
 * frame moves the map so that the lines can be told apart.
 * @param {App} app @param {Point} from @param {Seen[]} list
 */
function frame(app, from, list) {
  const { map } = app,
    far = Math.max(0, ...list.slice(0, 6).map((s) => s.metres));
  if (!map || far === 0) return;
  const across = distance(map.unproject([0, 0]), map.unproject([100, 0])) / 100; // metres of a pixel
  if (far / across > 100) return;
  app.go({ ...from, zoom: Math.min(17, map.getZoom() + Math.log2((220 * across) / far)) });
}

/** @param {App} app @param {Seen[]} list */
function table(app, list) {
  const { words } = app;
  const head = [words.siteColumn, words.distanceColumn, words.directionColumn, words.sectorOff].map((t) =>
    attributes(node('th', { textContent: t }), { scope: 'col' }),
  );
  const rows = list.map((s) => {
    const open = node('button', { type: 'button', className: 'link', textContent: s.key });
    open.addEventListener('click', () => app.set({ site: s.key }));
    const sector = s.sector ? `${s.sector.azimuth}° · ${Math.round(s.sector.off)}°` : words.azimuthNotStated;
    return node(
      'tr',
      { className: s.sees ? 'sees' : '' },
      attributes(node('th', {}, open, node('br'), node('small', { textContent: s.operators })), { scope: 'row' }),
      node('td', { textContent: metres(s.metres, words.lang) }),
      node('td', { textContent: `${Math.round(s.direction)}° ${compass(s.direction, words)}` }),
      node('td', {}, s.sees ? '✓ ' : '', sector),
    );
  });
  return node(
    'table',
    { className: 'seen' },
    node('caption', { textContent: words.seesRule }),
    node('thead', {}, node('tr', {}, ...head)),
    node('tbody', {}, ...rows),
  );
}

/**
 * show asks which sites see a point, and shows them on the map and in the card.
 * @param {App} app @param {Point} from
 */
export async function show(app, from) {
  const { words } = app,
    name = `from ${from.lat},${from.lng}`;
  const title = node('h1', { textContent: words.seesTitle });
  const place = attributes(node('p', { textContent: `${from.lat}, ${from.lng}` }), {
    'data-copy': `${from.lat}, ${from.lng}`,
  });
  const still = () => app.state.from && name === `from ${app.state.from.lat},${app.state.from.lng}`;
  lines.draw(app, from);
  if (!app.state.site)
    card.fill(app, name, [title, place, node('p', { className: 'quiet', textContent: words.loading + ' …' })]);
  try {
    const list = await find(app, from);
    if (!still()) return;
    list.sort((a, b) => Number(b.sees) - Number(a.sees) || a.metres - b.metres);
    lines.draw(
      app,
      from,
      list.map((s) => ({
        to: s.at,
        kind: s.sees ? 'sees' : 'other',
        label: s.sees ? `${Math.round(s.direction)}° · ${metres(s.metres, words.lang)}` : '',
      })),
    );
    frame(
      app,
      from,
      list.filter((s) => s.sees),
    );
    const seeing = list.filter((s) => s.sees).length;
    app.announce(`${words.seesTitle}: ${seeing}`);
    if (app.state.site) return;
    card.fill(
      app,
      name,
      list.length === 0 ? [title, place, node('p', { textContent: words.seesNone })] : [title, place, table(app, list)],
    );
  } catch (e) {
    if (still() && !app.state.site) card.fill(app, name, [title, place, node('p', { textContent: explain(e, words) })]);
  }
}
