// Layers that are shown on demand over the sites: outages, the changes of the newest edition,
// coverage points and speedtests. Each is a source of GeoJSON that this module fills.
import { ask, explain } from './data.mjs';
import { color, isDark } from './dom.mjs';
import { fonts } from './style.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */

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

const bbox = (/** @type {App} */ app) =>
  app
    .view()
    .box.map((v) => v.toFixed(5))
    .join(',');

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
 * @property {number} [moves] the zoom from which it shows what is in sight
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
      const note = !feed.exists
        ? words.noFeed
        : !feed.available
          ? words.staleFeed
          : list.length === 0
            ? words.noOutage
            : '';
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
          'icon-size': ['interpolate', ['linear'], ['zoom'], 5, 0.5, 12, 0.9],
          'icon-offset': [14, -14],
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
          'icon-offset': [-16, -16],
          'icon-size': ['interpolate', ['linear'], ['zoom'], 5, 0.4, 12, 0.9],
        },
      },
    ],
  },
  coverage: {
    serves: () => true,
    moves: 10.5,
    async load(market, app) {
      const { data } = await ask('/coverage/points', { market: market.code, bbox: bbox(app), limit: 5000, days: 365 });
      return {
        note: data.length === 0 ? app.words.noPoint : '',
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
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 10, 2.5, 16, 6],
          'circle-color': step('rsrp', signal),
          'circle-stroke-width': 0.75,
          'circle-stroke-color': color('mark-ink'),
        },
      },
    ],
  },
  speedtests: {
    serves: () => true,
    moves: 8.5,
    async load(market, app) {
      const { data } = await ask('/speedtests', { market: market.code, bbox: bbox(app), limit: 1000, days: 365 });
      return {
        note: data.length === 0 ? app.words.noTest : '',
        features: data.map((/** @type {any} */ t) =>
          point(t.coordinates.lng, t.coordinates.lat, {
            mbps: t.downloadSpeed ?? '',
            up: t.uploadSpeed ?? '',
            ping: t.ping ?? '',
            at: t.timestamp,
            operator: t.mobileOperator,
            what: t.connectionType,
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
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 8, 4, 16, 8],
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
export const moves = (app) => app.state.layers.some((name) => overlays[name]?.moves);

let turn = 0;

/**
 * refresh shows the chosen layers of a market and hides the others. It returns what to say of
 * each of them, or null when a later call says it.
 * @param {App} app
 */
export async function refresh(app) {
  const { map, words } = app,
    market = app.market();
  /** @type {Record<string, string>} */
  const notes = {};
  if (!map) return notes;
  const mine = ++turn; // a later call counts, whichever answer comes last
  await Promise.all(
    Object.entries(overlays).map(async ([name, o]) => {
      const source = 'over-' + name,
        show = app.state.layers.includes(name) && o.serves(market);
      if (!map.getSource(source)) {
        if (!show) return;
        map.addSource(source, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
        for (const layer of o.layers(source)) map.addLayer(layer);
      }
      for (const layer of o.layers(source)) map.setLayoutProperty(layer.id, 'visibility', show ? 'visible' : 'none');
      if (!show) return;
      try {
        const far = o.moves && app.view().zoom < o.moves;
        const { features, note } = far ? { features: [], note: words.zoomForLayer } : await o.load(market, app);
        notes[name] = note ?? '';
        if (mine !== turn) return;
        const s = /** @type {import('maplibre-gl').GeoJSONSource | undefined} */ (map.getSource(source));
        s?.setData({ type: 'FeatureCollection', features });
      } catch (e) {
        notes[name] = explain(e, words);
      }
    }),
  );
  return mine === turn ? notes : null;
}
