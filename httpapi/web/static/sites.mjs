// The layers of the sites: one source of vector tiles a market.
import { bits, draw, warning, wedge } from './marks.mjs';
import { fonts, placeLayer } from './style.mjs';

const tileSize = 512;

// tilesOf returns the address of a market's tiles under the filters.
export function tilesOf(market, state) {
  const query = new URLSearchParams({ v: market.version });
  const operators = state.operators.filter((key) => market.operators.some((o) => o.key === key));
  if (operators.length > 0) query.set('operator', operators.join(','));
  if (state.generations.length > 0) query.set('generation', state.generations.join(','));
  if (state.band && market.bands.includes(state.band)) query.set('band', state.band);
  if (state.status && market.statuses.includes(state.status)) query.set('status', state.status);
  return `${location.origin}/map/tiles/${market.code}/{z}/{x}/{y}.mvt?${query}`;
}

// shows reports whether a market can have sites under the filters.
export function shows(market, state) {
  return (state.operators.length === 0 || state.operators.some((key) => market.operators.some((o) => o.key === key))) &&
    (!state.band || market.bands.includes(state.band)) && (!state.status || market.statuses.includes(state.status));
}

export function addSites(map, market, state, dark) {
  const source = market.code;
  map.addSource(source, { type: 'vector', tiles: [tilesOf(market, state)], minzoom: 0, maxzoom: 14, bounds: market.bounds });
  const ink = dark ? '#e6eae9' : '#22302d', paper = dark ? '#2b3a37' : '#ffffff';
  map.addLayer({
    id: 'sectors-' + source, type: 'symbol', source, 'source-layer': 'sectors', minzoom: 14.5,
    layout: { 'icon-image': 'wedge', 'icon-rotate': ['get', 'az'], 'icon-rotation-alignment': 'map', 'icon-pitch-alignment': 'map', 'icon-allow-overlap': true, 'icon-size': ['interpolate', ['exponential', 2], ['zoom'], 14.5, 0.5, 18, 1.6] },
    paint: { 'icon-color': dark ? '#8fd6cb' : '#0b6b62', 'icon-opacity': 0.28 },
  });
  map.addLayer(placeLayer(source, dark));
  map.addLayer({
    id: 'clusters-' + source, type: 'circle', source, 'source-layer': 'sites', filter: ['>', ['get', 'n'], 1],
    paint: {
      'circle-radius': ['min', 16, ['+', 7, ['*', 0.35, ['sqrt', ['get', 'n']]]]],
      'circle-color': paper, 'circle-opacity': 0.92, 'circle-stroke-width': 2, 'circle-stroke-color': dark ? '#5cc3b5' : '#0b6b62',
    },
  });
  map.addLayer({
    id: 'counts-' + source, type: 'symbol', source, 'source-layer': 'sites', filter: ['>', ['get', 'n'], 1],
    layout: { 'text-field': ['number-format', ['get', 'n'], { locale: document.documentElement.lang }], 'text-font': fonts, 'text-size': ['interpolate', ['linear'], ['get', 'n'], 2, 10, 1000, 11], 'text-allow-overlap': true },
    paint: { 'text-color': ink },
  });
  map.addLayer({
    id: 'sites-' + source, type: 'symbol', source, 'source-layer': 'sites', filter: ['==', ['get', 'n'], 1],
    layout: {
      'icon-image': ['concat', 'mark/', source, '/', ['to-string', ['get', 'ops']], '/', ['to-string', ['get', 'live']], '/', ['to-string', ['get', 'gen']]],
      'icon-size': ['interpolate', ['linear'], ['zoom'], 5, 0.45, 10, 0.6, 13, 0.8, 16, 1.1], 'icon-allow-overlap': true,
      'symbol-sort-key': ['get', 'gen'],
    },
  });
}

// drawMissing draws the marks that the map asks for.
export function drawMissing(map, markets, dark) {
  map.setMissingStyleImageResolver((id) => {
    if (id === 'wedge') {
      map.addImage(id, wedge(64), { pixelRatio: 2, sdf: true });
      return;
    }
    if (id === 'outage' || id === 'degraded') {
      map.addImage(id, warning(22, id === 'outage'), { pixelRatio: 2 });
      return;
    }
    const [kind, code, ops, live, gen] = id.split('/');
    const market = markets.find((m) => m.code === code);
    if (kind !== 'mark' || !market) return;
    map.addImage(id, draw(market, Number(ops), Number(live), Number(gen), 24, dark()), { pixelRatio: 2 });
  });
}

// operatorsOf returns the labels of the operators of a mask.
export const operatorsOf = (market, mask) => bits(mask).map((i) => market.operators[i]?.label ?? '');

export { tileSize };
