// Lines between a point and sites: those whose sectors look at it, or the one that served it.
import { color } from './dom.mjs';
import { fonts } from './style.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Point} Point */
/** @typedef {{ to: Point, label: string, kind: 'sees' | 'other' | 'served' }} Line */

/** @type {any[]} */
let features = [];

/** addLines adds the layers under the marks. @param {App} app */
export function addLines(app) {
  const { map } = app,
    below = 'sites-' + app.markets[0].code;
  if (!map) return;
  map.addSource('lines', { type: 'geojson', data: { type: 'FeatureCollection', features } });
  const kind = (/** @type {string} */ name) => /** @type {any} */ (['==', ['get', 'kind'], name]);
  const width = { 'line-width': 2.5 };
  map.addLayer(
    {
      id: 'lines-other',
      type: 'line',
      source: 'lines',
      filter: kind('other'),
      paint: { 'line-color': color('border'), 'line-width': 1.5, 'line-dasharray': [2, 3] },
    },
    below,
  );
  map.addLayer(
    {
      id: 'lines-sees',
      type: 'line',
      source: 'lines',
      filter: kind('sees'),
      paint: { 'line-color': color('sees'), ...width },
    },
    below,
  );
  map.addLayer(
    {
      id: 'lines-served',
      type: 'line',
      source: 'lines',
      filter: kind('served'),
      paint: { 'line-color': color('served'), ...width, 'line-dasharray': [4, 1] },
    },
    below,
  );
  map.addLayer({
    id: 'lines-text',
    type: 'symbol',
    source: 'lines',
    filter: ['!=', ['get', 'kind'], 'from'],
    layout: {
      'symbol-placement': 'line-center',
      'text-field': ['get', 'label'],
      'text-font': fonts,
      'text-size': 12,
      'text-offset': [0, -0.8],
    },
    paint: { 'text-color': color('label'), 'text-halo-color': color('land'), 'text-halo-width': 2 },
  });
  map.addLayer({
    id: 'lines-from',
    type: 'circle',
    source: 'lines',
    filter: kind('from'),
    paint: {
      'circle-radius': 7,
      'circle-color': color('paper'),
      'circle-stroke-width': 4,
      'circle-stroke-color': color('sees'),
    },
  });
}

/**
 * draw shows lines from a point; without a point it removes them.
 * @param {App} app @param {Point | null} from @param {Line[]} [lines]
 */
export function draw(app, from, lines = []) {
  features = !from
    ? []
    : [
        ...lines.map((l) => ({
          type: 'Feature',
          properties: { kind: l.kind, label: l.label },
          geometry: {
            type: 'LineString',
            coordinates: [
              [from.lng, from.lat],
              [l.to.lng, l.to.lat],
            ],
          },
        })),
        {
          type: 'Feature',
          properties: { kind: 'from', label: '' },
          geometry: { type: 'Point', coordinates: [from.lng, from.lat] },
        },
      ];
  const source = /** @type {import('maplibre-gl').GeoJSONSource | undefined} */ (app.map?.getSource('lines'));
  source?.setData({ type: 'FeatureCollection', features });
}
