// What the pointer is on, and what a click means.
import { ask, explain } from './data.mjs';
import { askable, askWho } from './controls.mjs';
import { calm } from './dom.mjs';
import * as evidence from './evidence.mjs';
import { light } from './lit.mjs';
import { overlays } from './overlays.mjs';
import { at, nearestOf } from './sites.mjs';
import { filtersOf } from './state.mjs';
import * as tip from './tip.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('maplibre-gl').MapMouseEvent} MapMouseEvent */

/**
 * overlayAt returns the point of a layer at a point of the screen.
 * @param {App} app @param {{x: number, y: number}} p
 */
function overlayAt(app, { x, y }) {
  const layers = Object.keys(overlays)
    .map((name) => 'over-' + name)
    .filter((id) => app.map?.getLayer(id));
  const found = /** @type {any[]} */ (
    app.map?.queryRenderedFeatures(
      [
        [x - 6, y - 6],
        [x + 6, y + 6],
      ],
      { layers },
    ) ?? []
  );
  // signs stand beside their place: there the uppermost counts
  if (!app.map || found[0]?.layer.type !== 'circle') return found[0];
  return nearestOf(
    app.map,
    found.filter((f) => f.layer.id === found[0].layer.id),
    { x, y },
  );
}

/** @param {App} app @param {MapMouseEvent} e @param {(p: import('./types.d.ts').Point) => boolean} picked */
function clicked(app, e, picked) {
  tip.hide();
  if (picked(e.lngLat)) return;
  const hit = at(app, e.point),
    point = overlayAt(app, e.point);
  if (point && !hit?.mark) {
    if (point.properties.key) {
      app.set({ site: point.properties.key });
      return;
    }
    const [lng, lat] = point.geometry.coordinates;
    if (app.state.site || app.state.from || app.state.at) app.set({ site: '', from: null, at: null });
    evidence.show(app, point.properties, { lng, lat });
  } else if (hit?.mark) app.set({ site: hit.mark.key });
  else if (hit?.dot) openDot(app, e, hit.dot.market);
  else if (askable(app, e.lngLat)) who(app, e.lngLat);
}

/**
 * who shows who covers a place. Far away a click cannot mean one: it goes nearer if it is about coverage.
 * @param {App} app @param {import('./types.d.ts').Point} p
 */
function who(app, p) {
  const zoom = app.map?.getZoom() ?? 0;
  if (zoom >= 9) askWho(app, p);
  else if (app.state.layers.includes('official')) app.map?.easeTo({ center: [p.lng, p.lat], zoom: zoom + 2.5, animate: !calm() });
}

/**
 * openDot chooses the site of a dot where dots are apart, and else goes nearer.
 * @param {App} app @param {MapMouseEvent} e @param {import('./types.d.ts').Market} market
 */
async function openDot(app, { lngLat: { lng, lat } }, market) {
  const zoom = app.map?.getZoom() ?? 0;
  if (zoom < 9) {
    app.map?.easeTo({ center: [lng, lat], zoom: zoom + 2.5, animate: !calm() });
    return;
  }
  const radiusKm = Math.min(50, 4000 / 2 ** zoom); // about 25 pixels
  try {
    const query = { market: market.code, ...filtersOf(market, app.state), lat, lon: lng, radiusKm, limit: 1 };
    const { data } = await ask('/antennas', query);
    if (data.length > 0) app.set({ site: data[0].siteKey });
  } catch (x) {
    app.tell(explain(x, app.words));
  }
}

/** @param {App} app @param {MapMouseEvent} e */
function hovered(app, e) {
  const hit = at(app, e.point),
    point = overlayAt(app, e.point);
  if (app.map) app.map.getCanvas().style.cursor = hit || point ? 'pointer' : '';
  const key = hit?.mark?.key ?? '';
  light(app, 'hover', key).then((site) => {
    if (site && hit?.mark && tip.shows(key)) tip.show(e.point, ...tip.site(hit.mark, app, site.location));
  });
  if (hit?.mark) tip.show(e.point, ...tip.site(hit.mark, app));
  else if (point) tip.show(e.point, ...tip.evidence(point.properties, app));
  else if (hit?.dot) tip.show(e.point, ...tip.dot(hit.dot, app));
  else tip.hide();
}

/**
 * attach makes the pointer work. picked takes a click that chooses a point for something else.
 * @param {App} app @param {(p: import('./types.d.ts').Point) => boolean} picked
 */
export function attach(app, picked) {
  const { map } = app;
  map?.on('click', (e) => clicked(app, e, picked));
  map?.on('mousemove', (e) => hovered(app, e));
  map?.on('mouseout', () => {
    tip.hide();
    light(app, 'hover', '');
  });
  map?.on('movestart', () => tip.hide());
  map?.getCanvas().addEventListener('keydown', (e) => {
    if (e.key === 'Enter' && !e.defaultPrevented && !document.body.hasAttribute('data-picking') && askable(app, map.getCenter()))
      askWho(app, map.getCenter());
  });
}
