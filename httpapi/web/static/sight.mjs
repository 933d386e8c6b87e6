// What the map shows: the place, and the markets whose sites are in sight.
import { inside } from './geo.mjs';
import { inSight as drawn } from './sites.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */
/** @typedef {import('./types.d.ts').View} View */

/**
 * sight answers for the map of an app, which is made later. otherwise is the view while there is no map.
 * @param {() => App} app @param {Market | undefined} home @param {() => View} otherwise
 */
export function sight(app, home, otherwise) {
  /** The markets in sight, that with most sites first. @type {Market[]} */
  let seen = [];

  /** @returns {View} */
  function view() {
    const { map } = app();
    if (!map) return otherwise();
    const b = map.getBounds(),
      { lng, lat } = map.getCenter();
    return {
      lng,
      lat,
      zoom: map.getZoom(),
      box: [
        Math.max(b.getWest(), -180),
        Math.max(b.getSouth(), -90),
        Math.min(b.getEast(), 180),
        Math.min(b.getNorth(), 90),
      ],
    };
  }

  /**
   * inSight lists the markets whose sites are in sight, or the one that was seen last. Before
   * anything is drawn it is the smallest one around the middle of the map.
   * @returns {Market[]}
   */
  function inSight() {
    if (seen.length > 0) return seen;
    const middle = view(),
      size = (/** @type {Market} */ { bounds: [w, s, e, n] }) => (e - w) * (n - s);
    const here = app()
      .markets.filter((m) => inside(m.bounds, middle))
      .sort((a, b) => size(a) - size(b));
    return [here[0] ?? home];
  }

  /** look sees which markets the map shows. */
  function look() {
    const { counts } = drawn(app()),
      all = [...counts.values()].reduce((a, b) => a + b, 0),
      of = (/** @type {Market} */ m) => counts.get(m.code) ?? 0;
    const now = app().markets.filter((m) => of(m) > all / 200).sort((a, b) => of(b) - of(a));
    if (now.length > 0) seen = now;
  }

  /** marketOf returns the market of a site. @param {string} key */
  const marketOf = (key) => app().markets.find((m) => key.toLowerCase().startsWith(m.code.toLowerCase() + '-'));

  return { view, inSight, look, marketOf };
}
