// The layers of the sites: one source of vector tiles a market.
import { color } from './dom.mjs';
import { change, mark, warning, wedge } from './marks.mjs';
import { filtersOf, serves } from './state.mjs';
import { fonts, placeLayer } from './style.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */
/** @typedef {import('./types.d.ts').Mark} Mark */
/** @typedef {import('maplibre-gl').Map} Renderer */

// The program's scripts have an address of their own, and so have its tiles: browsers keep both.
const program = new URL(import.meta.url).pathname.split('/').at(-2);

const prefixes = ['sectors-', 'clusters-', 'counts-', 'sites-'];

/** @param {Market} market @param {App} app */
function tilesOf(market, app) {
  const query = new URLSearchParams({ v: `${market.version}.${program}`, ...filtersOf(market, app.state) });
  return location.origin + url(`/map/tiles/${market.code}/{z}/{x}/{y}.mvt?${query}`);
}

/** addSites adds a market's layers. @param {Renderer} map @param {Market} market @param {App} app */
export function addSites(map, market, app) {
  const source = market.code,
    visibility = serves(market, app.state) ? 'visible' : 'none';
  const layer = { source, 'source-layer': 'sites' };
  const several = /** @type {any} */ (['>', ['get', 'n'], 1]);
  map.addSource(source, {
    type: 'vector',
    tiles: [tilesOf(market, app)],
    minzoom: 0,
    maxzoom: 14,
    bounds: market.bounds,
  });
  map.addLayer({
    id: 'sectors-' + source,
    type: 'symbol',
    source,
    'source-layer': 'sectors',
    minzoom: 14.5,
    layout: { ...wedgeLayout(['concat', 'wedge/', source, '/', ['to-string', ['get', 'ops']]]), visibility },
    paint: { 'icon-opacity': 0.75 },
  });
  map.addLayer(placeLayer(source));
  map.addLayer({
    ...layer,
    id: 'clusters-' + source,
    type: 'circle',
    filter: several,
    layout: { visibility },
    paint: {
      'circle-radius': ['min', 16, ['+', 7, ['*', 0.35, ['sqrt', ['get', 'n']]]]],
      'circle-color': color('cluster'),
      'circle-opacity': 0.92,
      'circle-stroke-width': 2,
      'circle-stroke-color': color('cluster-line'),
    },
  });
  map.addLayer({
    ...layer,
    id: 'counts-' + source,
    type: 'symbol',
    filter: several,
    layout: {
      visibility,
      'text-field': ['number-format', ['get', 'n'], { locale: app.words.lang }],
      'text-font': fonts,
      'text-size': ['interpolate', ['linear'], ['get', 'n'], 2, 10, 1000, 11],
      'text-allow-overlap': true,
    },
    paint: { 'text-color': color('cluster-ink') },
  });
  map.addLayer({
    ...layer,
    id: 'sites-' + source,
    type: 'symbol',
    filter: ['==', ['get', 'n'], 1],
    layout: {
      visibility,
      'icon-image': [
        'concat',
        'mark/',
        source,
        '/',
        ['to-string', ['get', 'ops']],
        '/',
        ['to-string', ['get', 'live']],
        '/',
        ['to-string', ['get', 'gen']],
      ],
      'icon-size': ['interpolate', ['linear'], ['zoom'], 5, 0.45, 10, 0.6, 13, 0.8, 16, 1.1],
      'icon-allow-overlap': true,
      'icon-ignore-placement': true, // names of places stay under the marks
      'symbol-sort-key': ['get', 'gen'],
    },
  });
}

/** wedgeLayout turns an image of a sector to its azimuth. @param {any} image @param {number} [scale] @returns {any} */
export const wedgeLayout = (image, scale = 1) => ({
  'icon-image': image,
  'icon-rotate': ['get', 'az'],
  'icon-rotation-alignment': 'map',
  'icon-pitch-alignment': 'map',
  'icon-allow-overlap': true,
  'icon-ignore-placement': true,
  'icon-size': ['interpolate', ['exponential', 2], ['zoom'], 12, 0.5 * scale, 14.5, 0.6 * scale, 18, 1.7 * scale],
});

/** refilter shows what the state selects. @param {Renderer} map @param {App} app */
export function refilter(map, app) {
  for (const m of app.markets) {
    const source = /** @type {import('maplibre-gl').VectorTileSource | undefined} */ (map.getSource(m.code));
    const tiles = tilesOf(m, app);
    if (source && source.tiles?.[0] !== tiles) source.setTiles([tiles]);
    for (const p of prefixes)
      if (map.getLayer(p + m.code))
        map.setLayoutProperty(p + m.code, 'visibility', serves(m, app.state) ? 'visible' : 'none');
  }
}

/** reload asks for the tiles again, after the server was silent. @param {Renderer} map @param {App} app */
export function reload(map, app) {
  for (const m of app.markets) {
    const source = /** @type {import('maplibre-gl').VectorTileSource | undefined} */ (map.getSource(m.code));
    source?.setTiles([tilesOf(m, app)]);
  }
}

/** drawMissing draws the images that the map asks for. @param {Renderer} map @param {App} app */
export function drawMissing(map, app) {
  map.setMissingStyleImageResolver((id) => {
    const [kind, code, ...numbers] = id.split('/');
    const market = app.markets.find((m) => m.code === code),
      [ops, live, gen] = numbers.map(Number);
    /** @type {ImageData | undefined} */
    let image;
    if (kind === 'outage' || kind === 'degraded') image = warning(22, kind === 'outage');
    else if (kind === 'change') image = change(code, 20);
    else if (kind === 'wedge' && market) image = wedge(market, ops);
    else if (kind === 'mark' && market) image = mark(market, ops, live, gen, 24);
    if (image) map.addImage(id, image, { pixelRatio: 2 });
  });
}

/** @param {App} app @param {string[]} kinds */
const layersOf = (app, kinds) =>
  app.markets.flatMap((m) => kinds.map((k) => k + m.code)).filter((id) => app.map?.getLayer(id));

/** @param {any} f a feature @param {App} app @returns {Mark} */
function markOf(f, app) {
  const { key, ops, live, gen } = f.properties,
    [lng, lat] = f.geometry.coordinates;
  return { key, ops, live, gen, lng, lat, market: /** @type {Market} */ (app.marketOf(key)) };
}

/**
 * nearestOf returns the feature that is nearest to a point of the screen.
 * @param {Renderer} map @param {any[]} features @param {{x: number, y: number}} p @returns {any}
 */
export function nearestOf(map, features, { x, y }) {
  const far = features.map((f) => {
    const q = map.project(f.geometry.coordinates);
    return Math.hypot(q.x - x, q.y - y);
  });
  return features[far.indexOf(Math.min(...far))];
}

/**
 * at returns the site or cluster at a point of the screen.
 * @param {App} app @param {{x: number, y: number}} p
 * @returns {{ mark?: Mark, cluster?: import('./types.d.ts').Point } | null}
 */
export function at(app, { x, y }) {
  if (!app.map?.getLayer('lit-ring')) return null;
  const near = app.map.queryRenderedFeatures(
    [
      [x - 8, y - 8],
      [x + 8, y + 8],
    ],
    { layers: layersOf(app, ['clusters-', 'sites-']) },
  );
  const f = nearestOf(app.map, near, { x, y });
  if (!f) return null;
  if (f.properties.key) return { mark: markOf(f, app) };
  const [lng, lat] = f.geometry.coordinates;
  return { cluster: { lng, lat } };
}

/**
 * inSight returns the sites in sight, and whether there are clusters too.
 * @param {App} app
 */
export function inSight(app) {
  /** @type {Map<string, Mark>} */
  const marks = new Map();
  let clusters = false;
  for (const f of app.map?.getLayer('lit-ring')
    ? app.map.queryRenderedFeatures({ layers: layersOf(app, ['clusters-', 'sites-']) })
    : []) {
    if (f.properties.key) marks.set(f.properties.key, markOf(f, app));
    else clusters = true;
  }
  return { marks: [...marks.values()], clusters };
}
