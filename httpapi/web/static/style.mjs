// The style of the map without streets: land, water, borders and names, nearly grey, so that only
// data has colour. Labels use fonts of the machine.
import { color } from './dom.mjs';

export const fonts = ['Noto Sans', 'DejaVu Sans', 'Arial', 'sans-serif'];

const credits =
  '<a href="https://www.naturalearthdata.com/">Natural Earth</a>, ' +
  '<a href="https://www.geonames.org/">GeoNames</a> ' +
  '(<a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>)';

/**
 * baseStyle returns the base map in the colours of the moment.
 * @param {string} base address of the base map
 * @returns {import('maplibre-gl').StyleSpecification}
 */
export function baseStyle(base) {
  const kind = (/** @type {string} */ name) => /** @type {any} */ (['==', ['get', 'kind'], name]);
  return {
    version: 8,
    sources: { base: { type: 'geojson', data: base, maxzoom: 12, tolerance: 0.2, buffer: 16, attribution: credits } },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': color('water') } },
      { id: 'land', type: 'fill', source: 'base', filter: kind('land'), paint: { 'fill-color': color('land') } },
      { id: 'lake', type: 'fill', source: 'base', filter: kind('lake'), paint: { 'fill-color': color('water') } },
      {
        id: 'river',
        type: 'line',
        source: 'base',
        filter: kind('river'),
        minzoom: 4,
        paint: { 'line-color': color('water'), 'line-width': 1.2 },
      },
      {
        id: 'area',
        type: 'line',
        source: 'base',
        filter: kind('area'),
        minzoom: 4,
        maxzoom: 11,
        paint: { 'line-color': color('area'), 'line-width': 1 },
      },
      {
        id: 'border',
        type: 'line',
        source: 'base',
        filter: kind('border'),
        paint: { 'line-color': color('border'), 'line-width': 1.2 },
      },
    ],
  };
}

const label = () => ({ 'text-color': color('label'), 'text-halo-color': color('land'), 'text-halo-width': 1.6 });

/**
 * townLayer is above the sites at small zooms only, where towns are landmarks.
 * @returns {import('maplibre-gl').SymbolLayerSpecification}
 */
export function townLayer() {
  return {
    id: 'town',
    type: 'symbol',
    source: 'base',
    filter: ['==', ['get', 'kind'], 'town'],
    maxzoom: 11.5,
    layout: {
      'text-field': ['get', 'name'],
      'text-font': fonts,
      'symbol-sort-key': ['-', ['get', 'n']],
      'text-size': [
        'interpolate',
        ['linear'],
        ['zoom'],
        4,
        ['case', ['>', ['get', 'n'], 500000], 13, 11],
        10,
        ['case', ['>', ['get', 'n'], 50000], 16, 12],
      ],
      'text-padding': 6,
    },
    paint: label(),
  };
}

/**
 * placeLayer names the communes of a register where towns end.
 * @param {string} source
 * @returns {import('maplibre-gl').SymbolLayerSpecification}
 */
export function placeLayer(source) {
  return {
    id: 'places-' + source,
    type: 'symbol',
    source,
    'source-layer': 'places',
    minzoom: 11.5,
    layout: {
      'text-field': ['get', 'name'],
      'text-font': fonts,
      'text-size': 13,
      'symbol-sort-key': ['-', ['get', 'n']],
      'text-padding': 8,
    },
    paint: label(),
  };
}
