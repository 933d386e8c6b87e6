// Distances and directions on a sphere.
/** @typedef {import('./types.d.ts').Point} Point */

const radians = Math.PI / 180,
  radius = 6371008.8;

/** distance in metres. @param {Point} a @param {Point} b */
export function distance(a, b) {
  const dLat = (b.lat - a.lat) * radians,
    dLng = (b.lng - a.lng) * radians;
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * Math.sin(dLng / 2) ** 2;
  return 2 * radius * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** bearing from a to b in degrees from true north. @param {Point} a @param {Point} b */
export function bearing(a, b) {
  const dLng = (b.lng - a.lng) * radians,
    from = a.lat * radians,
    to = b.lat * radians;
  const y = Math.sin(dLng) * Math.cos(to),
    x = Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(dLng);
  return (Math.atan2(y, x) / radians + 360) % 360;
}

/** angle between two directions in degrees, at most 180. @param {number} a @param {number} b */
export const angle = (a, b) => Math.abs(((((a - b) % 360) + 540) % 360) - 180);

/** nearest returns the azimuth that is nearest to a direction. @param {number[]} azimuths @param {number} direction */
export function nearest(azimuths, direction) {
  const sorted = [...azimuths].sort((a, b) => angle(a, direction) - angle(b, direction));
  return sorted.length > 0 ? { azimuth: sorted[0], off: angle(sorted[0], direction) } : null;
}

/** metres as people read them. @param {number} m @param {string} lang */
export function metres(m, lang) {
  if (m < 995) return `${Math.round(m / 10) * 10} m`;
  return `${(m / 1000).toLocaleString(lang, { maximumFractionDigits: m < 9950 ? 1 : 0 })} km`;
}

/**
 * compass names a direction: one of eight words.
 * @param {number} degrees @param {import('./types.d.ts').Words} words
 */
export const compass = (degrees, words) => words.compassPoints.split(' ')[Math.round(degrees / 45) % 8];

/** within reports whether a ring has a point. @param {number[][]} ring @param {Point} p */
export function within(ring, { lng, lat }) {
  let odd = false;
  for (let i = 0, k = ring.length - 1; i < ring.length; k = i++) {
    const [x1, y1] = ring[i],
      [x2, y2] = ring[k];
    if (y1 > lat !== y2 > lat && lng < x1 + ((x2 - x1) * (lat - y1)) / (y2 - y1)) odd = !odd;
  }
  return odd;
}

/** inside reports whether a box has a point. @param {number[]} box @param {Point} p */
export const inside = ([w, s, e, n], p) => p.lng >= w && p.lng <= e && p.lat >= s && p.lat <= n;
