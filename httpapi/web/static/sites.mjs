// The layers of the sites. Far away, tiles with the layer dots draw the country; from zoom 12 on they
// have each site: still a dot, and from zoom 13 on a mark.
import { color, isDark } from './dom.mjs';
import { change, mark, tone, warning, wedge } from './marks.mjs';
import { filtersOf, serves } from './state.mjs';
import { placeLayer, streetLayer } from './style.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */
/** @typedef {import('./types.d.ts').Mark} Mark */
/** @typedef {import('maplibre-gl').Map} Renderer */

// The program's scripts have an address of their own, and so have its tiles: browsers keep both.
const program = new URL(import.meta.url).pathname.split('/').at(-2);

/** The zooms from which tiles have each site, marks are drawn, and sectors. */
export const everySite = 12,
  withMarks = 13,
  withSectors = 14.5;

const siteLayers = ['dots-', 'spots-', 'sites-'],
  prefixes = ['sectors-', ...siteLayers];

/**
 * tilesOf is the address of a market's tiles under the filters. Layers of measurements know two of them.
 * @param {Market} market @param {Pick<App, 'state'>} app @param {string} [layers]
 */
export function tilesOf(market, app, layers = '') {
  const { operator, generation, ...others } = filtersOf(market, app.state);
  const query = new URLSearchParams({ v: `${market.version}.${program}` });
  if (layers) query.set('layers', layers);
  if (operator) query.set('operator', operator);
  if (generation) query.set('generation', generation);
  if (layers === '' || layers === 'dots') for (const [name, value] of Object.entries(others)) query.set(name, value);
  return location.origin + url(`/map/tiles/${market.code}/{z}/{x}/{y}.mvt?${query}`);
}

/** sourcesOf lists the sources of a market. @param {Market} market @param {App} app */
const sourcesOf = (market, app) => [
  { id: 'far-' + market.code, tiles: tilesOf(market, app, 'dots'), minzoom: 0, maxzoom: everySite - 1 },
  { id: market.code, tiles: tilesOf(market, app), minzoom: everySite, maxzoom: 14 },
];

/**
 * addSites adds the layers of all markets. Names of places lie over dots and under marks.
 * @param {Renderer} map @param {App} app @param {import('maplibre-gl').LayerSpecification} [towns]
 */
export function addSites(map, app, towns) {
  for (const m of app.markets) {
    for (const { id, tiles, minzoom, maxzoom } of sourcesOf(m, app))
      map.addSource(id, { type: 'vector', tiles: [tiles], minzoom, maxzoom, bounds: m.bounds });
    for (const layer of dotLayers(m)) map.addLayer(layer);
  }
  const streets = /** @type {any} */ (map.getStyle().metadata)?.streets;
  for (const m of app.markets) {
    // The first has what is left of the room. Another server's style has streets everywhere.
    if (map.getSource('base')) map.addLayer(outside(streets, streetLayer(m.code)));
    map.addLayer(outside(streets, placeLayer(m.code)));
  }
  if (towns) map.addLayer(towns);
  for (const m of app.markets) map.addLayer(markLayer(m.code));
  refilter(map, app);
}

/**
 * outside leaves the names of a layer to the file with streets, where it has them.
 * @param {[number, number, number, number] | undefined} streets bounds of the file
 * @param {import('maplibre-gl').SymbolLayerSpecification} layer
 */
function outside(streets, layer) {
  if (!streets) return layer;
  const [west, south, east, north] = streets;
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const beyond = /** @type {any} */ (['!', ['within', { type: 'Polygon', coordinates: [ring] }]]);
  return { ...layer, filter: layer.filter ? /** @type {any} */ (['all', layer.filter, beyond]) : beyond };
}

/** rim is the width of the rim of dots, and wideRim that over colours which are as light as they are. @type {any} */
const rim = ['interpolate', ['linear'], ['zoom'], 9, 0, 12, 1],
  wideRim = ['interpolate', ['linear'], ['zoom'], 5, 0.3, 9, 1, 12, 2];

/** dotLayers are a market's sectors, and its dots under zoom 13. @param {Market} market @returns {any[]} */
function dotLayers(market) {
  const { code } = market;
  const dots = {
    type: 'circle',
    layout: { 'circle-sort-key': ['case', ['==', ['get', 'live'], 0], 0, 1] },
    paint: {
      'circle-color': toneOf(market),
      'circle-radius': ['interpolate', ['linear'], ['zoom'], 3, 0.7, 5, 0.95, 7, 1.7, 9, 2.6, 11, 3.5, 13, 5],
      'circle-stroke-color': color('land'),
      'circle-stroke-width': rim,
    },
  };
  return [
    {
      id: 'sectors-' + code,
      type: 'symbol',
      source: code,
      'source-layer': 'sectors',
      minzoom: withSectors,
      layout: wedgeLayout(['concat', 'wedge/', code, '/', ['to-string', ['get', 'ops']]]),
    },
    { ...dots, id: 'dots-' + code, source: 'far-' + code, 'source-layer': 'dots', maxzoom: everySite },
    { ...dots, id: 'spots-' + code, source: code, 'source-layer': 'sites', minzoom: everySite, maxzoom: withMarks },
  ];
}

/** toneOf is the colour of the operator that is alone on a site, or one for several. @param {Market} market */
const toneOf = (market) => [
  'match',
  ['get', 'ops'],
  ...market.operators.flatMap((_, i) => [2 ** i, tone(market, i)]),
  color('several'),
];

/** markLayer draws each site. @param {string} source @returns {any} */
const markLayer = (source) => ({
  id: 'sites-' + source,
  type: 'symbol',
  source,
  'source-layer': 'sites',
  minzoom: withMarks,
  layout: {
    'icon-image': [
      'concat',
      `mark/${source}/`,
      ['to-string', ['get', 'ops']],
      '/',
      ['to-string', ['get', 'live']],
      '/',
      ['to-string', ['get', 'gen']],
    ],
    'icon-size': ['interpolate', ['linear'], ['zoom'], 13, 0.75, 14, 0.95, 17, 1.25],
    'icon-allow-overlap': true,
    'icon-ignore-placement': true, // names of places stay under the marks
    'symbol-sort-key': ['+', ['get', 'gen'], ['case', ['==', ['get', 'live'], 0], 0, 10]],
  },
});

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
    for (const { id, tiles } of sourcesOf(m, app)) {
      const source = /** @type {import('maplibre-gl').VectorTileSource | undefined} */ (map.getSource(id));
      if (source && source.tiles?.[0] !== tiles) source.setTiles([tiles]);
    }
    for (const p of prefixes)
      if (map.getLayer(p + m.code))
        map.setLayoutProperty(p + m.code, 'visibility', serves(m, app.state) ? 'visible' : 'none');
  }
  recede(map, app);
}

/**
 * namePlaces lets the towns of the base map end where a register names its communes.
 * @param {Renderer} map @param {App} app
 */
export function namePlaces(map, app) {
  const towns = map.getLayer('town');
  if (!towns) return;
  const named = app.inSight().some((m) => map.querySourceFeatures(m.code, { sourceLayer: 'places' }).length > 0);
  const last = named ? everySite : 14;
  if (towns.maxzoom !== last) map.setLayerZoomRange('town', 0, last); // it draws the map again
}

/** recede makes the sites step back while a layer over them is what matters. @param {Renderer} map @param {App} app */
export function recede(map, app) {
  const on = app.state.layers.some((name) => name !== 'official'),
    wide = !on && isDark() && app.state.layers.includes('official'),
    planned = (/** @type {number} */ opacity) =>
      /** @type {any} */ (['case', ['==', ['get', 'live'], 0], opacity / 2, opacity]);
  for (const m of app.markets) {
    if (!map.getLayer('dots-' + m.code)) continue;
    for (const p of ['dots-', 'spots-']) {
      map.setPaintProperty(p + m.code, 'circle-opacity', planned(on ? 0.25 : 0.9));
      map.setPaintProperty(p + m.code, 'circle-stroke-opacity', on ? 0 : wide ? 1 : 0.8);
      map.setPaintProperty(p + m.code, 'circle-stroke-width', wide ? wideRim : rim);
    }
    map.setPaintProperty('sites-' + m.code, 'icon-opacity', on ? 0.4 : 1);
    map.setPaintProperty('sectors-' + m.code, 'icon-opacity', on ? 0.2 : 0.75);
  }
}

/** reload asks for the tiles again, after the server was silent. @param {Renderer} map @param {App} app */
export function reload(map, app) {
  for (const m of app.markets)
    for (const { id, tiles } of sourcesOf(m, app)) {
      const source = /** @type {import('maplibre-gl').VectorTileSource | undefined} */ (map.getSource(id));
      source?.setTiles([tiles]);
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
    else if (kind === 'mark' && market) image = mark(market, ops, live, gen, 22);
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
 * at returns the site at a point of the screen, or what a dot says.
 * @param {App} app @param {{x: number, y: number}} p
 * @returns {{ mark?: Mark, dot?: { market: Market, ops: number, live: number, gen: number } } | null}
 */
export function at(app, { x, y }) {
  if (!app.map?.getLayer('lit-ring')) return null;
  const near = app.map.queryRenderedFeatures(
    [
      [x - 8, y - 8],
      [x + 8, y + 8],
    ],
    { layers: layersOf(app, ['spots-', 'sites-']) },
  );
  const f = nearestOf(app.map, near, { x, y });
  if (f) return { mark: markOf(f, app) };
  const [dot] = app.map.queryRenderedFeatures(
    [
      [x - 3, y - 3],
      [x + 3, y + 3],
    ],
    { layers: layersOf(app, ['dots-']) },
  );
  if (!dot) return null;
  const { ops, live, gen } = dot.properties;
  return { dot: { market: /** @type {Market} */ (app.markets.find((m) => dot.source === 'far-' + m.code)), ops, live, gen } };
}

/**
 * inSight returns the sites in sight, and how many sites of each market are there. Far away there are
 * numbers only.
 * @param {App} app
 * @returns {{ marks: Mark[], counts: Map<string, number> }}
 */
export function inSight(app) {
  const counts = new Map(),
    [west, south, east, north] = app.view().box;
  /** @type {Map<string, Mark>} */
  const marks = new Map();
  for (const f of app.map?.getLayer('lit-ring')
    ? app.map.queryRenderedFeatures({ layers: layersOf(app, siteLayers) })
    : []) {
    const code = f.source.replace('far-', ''),
      g = /** @type {import('geojson').Point | import('geojson').MultiPoint} */ (f.geometry);
    if (f.properties.key) {
      if (!marks.has(f.properties.key)) counts.set(code, (counts.get(code) ?? 0) + 1);
      marks.set(f.properties.key, markOf(f, app));
      continue;
    }
    const points = g.type === 'MultiPoint' ? g.coordinates : [g.coordinates];
    const here = points.filter(([x, y]) => x >= west && x <= east && y >= south && y <= north).length;
    if (here > 0) counts.set(code, (counts.get(code) ?? 0) + Math.round((f.properties.n * here) / points.length));
  }
  return { marks: [...marks.values()], counts };
}
