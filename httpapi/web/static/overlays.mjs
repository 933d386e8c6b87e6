// Layers that are shown on demand: outages, the changes of the newest edition, coverage points and
// speedtests. Each is a source of GeoJSON that this module fills. Far away, measurements are squares of
// tiles under the sites.
import { ask, explain } from './data.mjs';
import { color, isDark } from './dom.mjs';
import { tilesOf } from './sites.mjs';
import { filtersOf, serves } from './state.mjs';
import { fonts } from './style.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */

/** The zoom from which measurements are points. */
const withPoints = 14;

// The first value of each of the five steps: dBm, and megabits a second.
export const signal = [-200, -115, -105, -95, -85],
  speeds = [0, 10, 50, 150, 400];

/** unmeasured is nearly white in either theme: each grey is near to one of the steps. */
export const unmeasured = () => color(isDark() ? 'ink' : 'paper');

/** What was not measured is the empty text. @param {string} name @returns {any} */
const measured = (name) => ['==', ['typeof', ['get', name]], 'number'];

const step = (/** @type {string} */ name, /** @type {number[]} */ from) =>
  /** @type {any} */ ([
    'case',
    measured(name),
    ['step', ['get', name], ...from.flatMap((limit, i) => [...(i > 0 ? [limit] : []), color(`step-${i + 1}`)])],
    unmeasured(),
  ]);

/** @param {number} lng @param {number} lat @param {Record<string, unknown>} properties */
const point = (lng, lat, properties) => ({
  type: /** @type {const} */ ('Feature'),
  geometry: { type: /** @type {const} */ ('Point'), coordinates: [lng, lat] },
  properties,
});

const labelOf = (/** @type {Market} */ market, /** @type {string} */ key) =>
  market.operators.find((o) => o.key === key)?.label ?? key;

/** measuresIn asks for what was measured in sight. @param {Market} market @param {App} app */
function measuresIn(market, app) {
  const { operator } = filtersOf(market, app.state);
  const bbox = app
    .view()
    .box.map((v) => v.toFixed(5))
    .join(',');
  return { market: market.code, ...(operator ? { operator } : {}), bbox };
}

/**
 * titleOf names the campaign of an edition as people of a language do: "ARCEP, June – August 2025".
 * @param {any} e an edition of meta.editions @param {import('./types.d.ts').Words} words
 */
function titleOf(e, words) {
  const months = new Intl.DateTimeFormat(words.locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const when = months.formatRange(new Date(e.firstDay), new Date(e.lastDay));
  return (e.synthetic ? 'SYNTHETIC ' : '') + `${e.source}, ${when}`;
}

/**
 * measuredAt asks for what was measured in sight: in the last year, and in the newest campaigns that are older.
 * @param {string} kind @param {Market} market @param {App} app @param {number} limit
 */
async function measuredAt(kind, market, app, limit) {
  const query = { ...measuresIn(market, app), limit };
  const { data, meta } = await ask(`/${kind}`, { ...query, days: lastYear });
  const newest = campaigns(meta);
  const from = new Date(Date.now() - lastYear * 24 * 3600e3).toISOString().slice(0, 10);
  const older = newest.filter((e) => e.firstDay <= from);
  const more = await Promise.all(older.map((e) => ask(`/${kind}`, { ...query, edition: e.id })));
  const known = new Set(data.map((/** @type {any} */ m) => m.id));
  for (const answer of more) data.push(...answer.data.filter((/** @type {any} */ m) => !known.has(m.id)));
  /** @type {Record<string, string>} */
  const titles = {};
  for (const e of meta.editions) if (e.source) titles[e.id] = `${titleOf(e, app.words)} (${e.licence})`;
  return { data, titles, said: newest.map((e) => titles[e.id]) };
}

/** lastYear is how many days back the map shows measurements. */
const lastYear = 365;

/** campaigns returns the newest campaigns of an answer. @param {any} meta @returns {any[]} */
const campaigns = (meta) => meta.editions.filter((/** @type {any} */ e) => e.newest);

/**
 * campaignsOf names the newest campaigns of a market, which the squares far away have too.
 * @param {string} kind @param {Market} market @param {App} app
 */
async function campaignsOf(kind, market, app) {
  const { meta } = await ask(`/${kind}`, { market: market.code, limit: 1 });
  return campaigns(meta).map((e) => `${titleOf(e, app.words)} (${e.licence})`);
}

/**
 * mapped lists the operators whose official maps the filters leave. Levels tell those of one apart, and those of
 * several how many operators reach a place.
 * @param {Market} market @param {import('./types.d.ts').State} state
 */
export function mapped(market, { operators }) {
  const chosen = operators.filter((key) => market.operators.some((o) => o.key === key));
  const all = [...new Set(market.coverage.flatMap((c) => c.operators))];
  return all.filter((key) => chosen.length === 0 || chosen.includes(key));
}

/** The tones of levels by their numbers, and of numbers of operators; 0 is one that is not stated. */
export const levelTones = [0, 1, 3, 4],
  countTones = [0, 1, 2, 3, 4];

/** expected is the colour of official coverage: by level for one operator, else by their number. @param {boolean} one */
const expected = (one) =>
  /** @type {any} */ ([
    'step',
    ['coalesce', ['get', one ? 'level' : 'n'], 0],
    ...(one ? levelTones : countTones).flatMap((tone, i) => [...(i > 0 ? [i] : []), color(`cover-${tone}`)]),
  ]);

/** published says whose the official maps of a market are. @param {Market} market @param {import('./types.d.ts').Words} words */
export function published(market, words) {
  const day = new Intl.DateTimeFormat(words.locale, { dateStyle: 'long', timeZone: 'UTC' });
  const who = market.coverage.map(
    (c) => `${c.synthetic ? 'SYNTHETIC ' : ''}${c.authority}, ${day.format(new Date(c.edition))}`,
  );
  return `${[...new Set(who)].join('; ')}. ${words.officialTheory}`;
}

/** official says what to know of the official maps of a market. @param {Market} market @param {App} app */
function official(market, { state: { generations }, words }) {
  const without = generations.filter((g) => !market.coverage.some((c) => c.technologies.includes(g)));
  return [
    published(market, words),
    ...(generations.length === 0 ? [words.officialAny] : []),
    ...without.map((g) => words.officialWithout.replace('%s', g)),
    words.officialClick,
  ].join(' ');
}

/** What an edition changed on a site, the most telling first. @type {[string, string[]][]} */
const kinds = [
  ['new', ['site-added', 'operator-added', 'system-added']],
  ['active', ['status-changed', 'moved']],
  ['gone', ['site-removed', 'operator-removed', 'system-removed']],
];

/** mostChanges is how many changes of an edition the map reads. */
const mostChanges = 40000;

/**
 * @typedef {object} Overlay
 * @property {(m: Market) => boolean} serves
 * @property {boolean} [points] it shows single points of what is in sight, from withPoints on
 * @property {(m: Market, app: App) => Promise<string[]>} [campaigns] names those that its squares have
 * @property {(m: Market, app: App) => any} [cells] the colour of its squares, which the tiles have as a layer of its name
 * @property {string} [tiles] another name of that layer. It is seen from far away and from near, under streets
 * @property {(m: Market, app: App) => Promise<{features: any[], note?: string}>} load
 * @property {(source: string) => any[]} layers
 */

/** @type {Record<string, Overlay>} */
export const overlays = {
  outages: {
    serves: () => true,
    async load(market, { words }) {
      const list = [];
      let feed = { exists: true, available: true };
      for (let offset = 0; list.length < 3000;) {
        const { data, meta } = await ask('/outages', { market: market.code, limit: 500, offset });
        list.push(...data);
        feed = meta.operatorFeed;
        if (!meta.hasMore) break;
        offset = meta.nextOffset;
      }
      const dated = list.filter((o) => o.source === 'operator' && o.expectedEndAt),
        over = dated.filter((o) => Date.parse(o.expectedEndAt) < Date.now());
      const ended = words.outagesEnded
        .replace('%s', over.length.toLocaleString(words.lang))
        .replace('%s', dated.length.toLocaleString(words.lang));
      const note = !feed.exists
        ? words.noFeed
        : [!feed.available && words.staleFeed, over.length > 0 && ended, list.length === 0 && words.noOutage]
            .filter(Boolean)
            .join(' ');
      return {
        note,
        features: list.map((o) =>
          point(o.longitude, o.latitude, {
            key: o.siteKey ?? '',
            down: o.severity === 'down' ? 1 : 0,
            operator: labelOf(market, o.operatorKey),
            commune: o.commune ?? '',
            since: o.startedAt,
            until: o.expectedEndAt ?? '',
            reason: o.reason ?? '',
            what: [
              ...o.affectedTechnologies.map((/** @type {string} */ t) => t.toUpperCase()),
              ...o.affectedServices.map((/** @type {string} */ s) => words['service.' + s] ?? s),
            ].join(', '),
            by: o.source,
          }),
        ),
      };
    },
    layers: (source) => [
      {
        id: source,
        type: 'symbol',
        source,
        layout: {
          'icon-image': ['case', ['==', ['get', 'down'], 1], 'outage', 'degraded'],
          'icon-allow-overlap': true,
          'icon-size': ['interpolate', ['linear'], ['zoom'], 5, 0.42, 12, 0.9],
          'icon-offset': ['interpolate', ['linear'], ['zoom'], 12, ['literal', [0, 0]], 13, ['literal', [14, -14]]],
        },
      },
    ],
  },
  week: {
    serves: (market) => market.changes,
    async load(market, { words }) {
      /** @type {Map<string, {site: any, kinds: string[]}>} */
      const sites = new Map();
      let note = '';
      for (let offset = 0; ;) {
        const { data, meta } = await ask('/changes', {
          market: market.code,
          until: market.date,
          bbox: '-180,-90,180,90', // also sites that were beyond the present ones
          limit: 5000,
          offset,
        });
        for (const { site, kind } of data) {
          const known = sites.get(site.id) ?? { site, kinds: [] };
          known.kinds.push(kind);
          sites.set(site.id, known);
        }
        if (!meta.hasMore) break;
        offset = meta.nextOffset;
        if (offset >= mostChanges) {
          const [read, all] = [offset, meta.totalMatched].map((n) => n.toLocaleString(words.lang));
          note = words.partOfChanges.replace('%s', read).replace('%s', all);
          break;
        }
      }
      return {
        note,
        features: [...sites.values()].map(({ site, kinds: all }) =>
          point(site.coordinates.lng, site.coordinates.lat, {
            key: site.siteKey,
            kind: kinds.find(([, list]) => list.some((k) => all.includes(k)))?.[0] ?? '',
          }),
        ),
      };
    },
    layers: (source) => [
      {
        id: source,
        type: 'symbol',
        source,
        layout: {
          'icon-image': ['concat', 'change/', ['get', 'kind']],
          'icon-allow-overlap': true,
          'icon-offset': ['interpolate', ['linear'], ['zoom'], 12, ['literal', [0, 0]], 13, ['literal', [-16, -16]]],
          'icon-size': ['interpolate', ['linear'], ['zoom'], 5, 0.4, 12, 0.9],
        },
      },
    ],
  },
  official: {
    serves: (market) => market.coverage.length > 0,
    tiles: 'coverage-map',
    cells: (market, app) => expected(mapped(market, app.state).length === 1),
    load: async (market, app) => ({ features: [], note: official(market, app) }),
    layers: () => [],
  },
  coverage: {
    serves: () => true,
    points: true,
    campaigns: (market, app) => campaignsOf('coverage/points', market, app),
    cells: () => step('rsrp', signal),
    async load(market, app) {
      const { data, titles, said } = await measuredAt('coverage/points', market, app, 5000);
      return {
        note: [data.length === 0 ? app.words.noPoint : '', ...said].filter(Boolean).join(' '),
        features: data.map((/** @type {any} */ p) =>
          point(p.coordinates.lng, p.coordinates.lat, {
            rsrp: p.rsrp ?? '',
            technology: p.technology,
            at: p.timestamp,
            cell: p.radio?.cellId ?? '',
            enb: p.radio?.enb ?? '',
            gnb: p.radio?.gnb ?? '',
            pci: p.radio?.pci ?? '',
            mcc: p.mcc ?? '',
            mnc: p.mnc ?? '',
            operator: p.mobileOperator,
            snr: p.snr ?? '',
            campaign: titles[p.edition] ?? '',
            service: p.networkType !== 'NO_SERVICE',
          }),
        ),
      };
    },
    layers: (source) => [
      {
        id: source,
        type: 'circle',
        source,
        paint: {
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 14, 4, 17, 7],
          'circle-color': step('rsrp', signal),
          'circle-stroke-width': 0.75,
          'circle-stroke-color': color('mark-ink'),
        },
      },
    ],
  },
  speedtests: {
    serves: () => true,
    points: true,
    campaigns: (market, app) => campaignsOf('speedtests', market, app),
    cells: () => step('down', speeds),
    async load(market, app) {
      const { data, titles, said } = await measuredAt('speedtests', market, app, 1000);
      return {
        note: [data.length === 0 ? app.words.noTest : '', ...said].filter(Boolean).join(' '),
        features: data.map((/** @type {any} */ t) =>
          point(t.coordinates.lng, t.coordinates.lat, {
            mbps: t.downloadSpeed ?? '',
            up: t.uploadSpeed ?? '',
            ping: t.ping ?? '',
            at: t.timestamp,
            operator: t.mobileOperator,
            what: t.connectionType,
            campaign: titles[t.edition] ?? '',
          }),
        ),
      };
    },
    layers: (source) => [
      {
        id: source,
        type: 'circle',
        source,
        paint: {
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 14, 6, 17, 9],
          'circle-color': step('mbps', speeds),
          'circle-stroke-width': 1.5,
          'circle-stroke-color': color('mark-ink'),
        },
      },
      {
        id: source + '-text',
        type: 'symbol',
        source,
        minzoom: 13,
        layout: {
          'text-field': [
            'case',
            measured('mbps'),
            ['concat', ['to-string', ['round', ['get', 'mbps']]], ' Mbit/s'],
            '',
          ],
          'text-font': fonts,
          'text-size': 11,
          'text-offset': [0, 1.2],
        },
        paint: { 'text-color': color('label'), 'text-halo-color': color('land'), 'text-halo-width': 1.2 },
      },
    ],
  },
};

/** moves reports whether a chosen layer shows what is in sight. @param {App} app */
export const moves = (app) => app.state.layers.some((name) => overlays[name]?.points);

/**
 * showCells shows or hides the squares of a layer of each market, under the sites.
 * @param {App} app @param {string} name @param {boolean} show
 */
function showCells(app, name, show) {
  const { map } = app,
    paint = overlays[name].cells;
  if (!map || !paint) return;
  for (const m of app.markets.filter(overlays[name].serves)) {
    const id = `cells-${name}-${m.code}`,
      layer = overlays[name].tiles ?? name,
      tiles = tilesOf(m, app, layer);
    const source = /** @type {import('maplibre-gl').VectorTileSource | undefined} */ (map.getSource(id));
    if (!source && show) {
      const theory = layer !== name,
        minzoom = theory ? 3 : 6;
      map.addSource(id, { type: 'vector', tiles: [tiles], minzoom, maxzoom: 13, bounds: m.bounds });
      const range = { 'source-layer': layer, minzoom, maxzoom: theory ? 24 : withPoints };
      const fill = { 'fill-color': paint(m, app), 'fill-opacity': theory ? 0.7 : 0.6, 'fill-antialias': false };
      map.addLayer(
        /** @type {any} */ ({ id, source: id, ...range, type: 'fill', paint: fill }),
        (theory && map.getLayersOrder().find((l) => map.getLayer(l)?.type === 'line')) || 'sectors-' + app.markets[0].code,
      );
    } else if (source && source.tiles?.[0] !== tiles) source.setTiles([tiles]);
    if (show) map.setPaintProperty(id, 'fill-color', paint(m, app));
    if (map.getLayer(id)) map.setLayoutProperty(id, 'visibility', show && serves(m, app.state) ? 'visible' : 'none');
  }
}

let turn = 0;

/**
 * refresh shows the chosen layers of the markets in sight and hides the others. It returns what to say
 * of each of them, or null when a later call says it.
 * @param {App} app
 */
export async function refresh(app) {
  const { map, words } = app,
    seen = app.inSight();
  /** @type {Record<string, string>} */
  const notes = {};
  if (!map) return notes;
  const mine = ++turn; // a later call counts, whichever answer comes last
  await Promise.all(
    Object.entries(overlays).map(async ([name, o]) => {
      const source = 'over-' + name,
        served = app.state.layers.includes(name) ? seen.filter(o.serves) : [],
        show = served.length > 0,
        zoom = app.view().zoom;
      showCells(app, name, show);
      if (!map.getSource(source)) {
        if (!show) return;
        map.addSource(source, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
        for (const layer of o.layers(source)) map.addLayer(layer);
      }
      for (const layer of o.layers(source)) map.setLayoutProperty(layer.id, 'visibility', show ? 'visible' : 'none');
      if (!show) return;
      try {
        const far = o.points && zoom < withPoints;
        const all = await Promise.all(
          served.map(async (m) =>
            far ? { features: [], note: (await o.campaigns?.(m, app))?.join(' ') } : o.load(m, app),
          ),
        );
        const said = all.map(({ note }, i) => (note && served.length > 1 ? `${served[i].label}: ${note}` : (note ?? '')));
        notes[name] = o.points && zoom < 6 ? words.zoomForLayer : said.filter(Boolean).join(' ');
        if (mine !== turn) return;
        const s = /** @type {import('maplibre-gl').GeoJSONSource | undefined} */ (map.getSource(source));
        s?.setData({ type: 'FeatureCollection', features: all.flatMap((a) => a.features) });
      } catch (e) {
        notes[name] = explain(e, words);
      }
    }),
  );
  return mine === turn ? notes : null;
}
