// The legend says what is shown now.
import { color, element, isPhone, node } from './dom.mjs';
import { change, mark, picture, warning, wedge } from './marks.mjs';
import { signal, speeds, unmeasured } from './overlays.mjs';

/** @typedef {import('./types.d.ts').App} App */

/** @param {Node} sign @param {string} text */
const line = (sign, text) => [sign, node('span', { textContent: text })];

/** swatch shows a colour. @param {string} value */
function swatch(value) {
  const e = node('span', { className: 'swatch' });
  e.style.background = value;
  return e;
}

/** steps is the scale of a layer. @param {number[]} from @param {string} unit @param {string} none */
function steps(from, unit, none) {
  const scale = from.flatMap((limit, i) => {
    const text = i === 0 ? `< ${from[1]}` : i === from.length - 1 ? `≥ ${limit}` : `${limit} … ${from[i + 1]}`;
    return line(swatch(color(`step-${i + 1}`)), `${text} ${unit}`.replaceAll('-', '−'));
  });
  return [...scale, ...line(swatch(unmeasured()), none)];
}

/** show fills the legend. @param {App} app */
export function show(app) {
  const { words, state } = app,
    market = app.market();
  if (!app.map) return;
  const several = market.operators.length > 1 ? 3 : 1;
  const cluster = node('span', { className: 'cluster', textContent: '12' });
  const shown = (/** @type {string} */ name) => state.layers.includes(name);
  const rows = element('legend').querySelector('div');
  rows?.replaceChildren(
    ...line(cluster, words.cluster),
    // next to the map the panel has these signs already
    ...(isPhone() ? market.operators : []).flatMap((o, i) =>
      line(picture(mark(market, 2 ** i, 2 ** i, 5, 18)), o.label),
    ),
    ...line(picture(mark(market, several, several, 5, 18)), words.shared),
    ...line(
      node('span', { className: 'fills' }, ...[2, 3, 4, 5].map((g) => picture(mark(market, 1, 1, g, 16)))),
      words.fills,
    ),
    ...line(picture(mark(market, 1, 0, 5, 18)), words.hollow),
    ...line(small(wedge(market, several)), words.sector),
    ...(shown('outages')
      ? [
          ...line(picture(warning(16, true)), words.outageDown),
          ...line(picture(warning(16, false)), words.outageDegraded),
        ]
      : []),
    ...(shown('week')
      ? ['new', 'active', 'gone'].flatMap((k) => line(picture(change(k, 16)), words['change_' + k]))
      : []),
    ...(shown('coverage')
      ? [node('strong', { textContent: words.layer_coverage }), ...steps(signal, 'dBm', words.noLevel)]
      : []),
    ...(shown('speedtests')
      ? [node('strong', { textContent: words.layer_speedtests }), ...steps(speeds, 'Mbit/s', words.noLevel)]
      : []),
  );
}

/** @param {ImageData} image */
function small(image) {
  const p = picture(image);
  p.style.width = p.style.height = '28px';
  return p;
}

/** fold closes the legend on a phone, where the map needs the room. */
export const fold = () => element('legend').toggleAttribute('open', !isPhone());
