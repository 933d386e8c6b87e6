// The legend says what is shown now.
import { color, element, isDark, isPhone, node } from './dom.mjs';
import { change, mark, picture, tone, warning, wedge } from './marks.mjs';
import { countTones, levelTones, mapped, published, signal, speeds, unmeasured } from './overlays.mjs';
import { withMarks, withSectors } from './sites.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */

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

const levels = ['covered', 'limited', 'good', 'very_good'];

/** expectation says what the official maps of a market show, and whose they are. @param {Market} market @param {App} app */
function expectation(market, { words, state }) {
  const operators = mapped(market, state),
    named = market.operators.filter((o) => state.operators.includes(o.key) && operators.includes(o.key)).map((o) => o.label),
    unnamed = market.coverage.some((c) => c.operators.length === 0);
  const tone = (/** @type {number} */ n) => Object.assign(swatch(color(`cover-${n}`)), { className: 'swatch area' });
  const lines =
    operators.length === 1
      ? levelTones.map((n, i) => line(tone(n), words['level.' + levels[i]]))
      : countTones
          .map((n, i) => line(tone(n), words['covered_' + i]))
          .slice(unnamed ? 0 : 1, unnamed ? undefined : operators.length + 1);
  return [
    node('strong', { textContent: [words.layer_official, ...named, ...state.generations].join(' · ') }),
    ...lines.reverse().flat(),
    node('p', { textContent: published(market, words) }),
  ];
}

/** dot shows a small circle. @param {string} value */
function dot(value, faint = false) {
  const e = swatch(value);
  e.className = faint ? 'dot faint' : 'dot';
  return e;
}

let filled = '';

/** show fills the legend with what this zoom and these layers draw. @param {App} app */
export function show(app) {
  const { words, state } = app,
    market = app.market();
  if (!app.map) return;
  const zoom = app.view().zoom;
  const near = zoom >= withMarks,
    sectors = zoom >= withSectors;
  const chosen = [state.layers, state.operators, state.generations];
  const now = [app.inSight().map((m) => m.code), near, sectors, ...chosen, isDark(), isPhone()].join(' ');
  if (now === filled) return;
  filled = now;
  const several = market.operators.length > 1 ? 3 : 1;
  const shown = (/** @type {string} */ name) => state.layers.includes(name);
  // next to the map the panel has the signs of operators already
  const operators = isPhone() || app.config.alone ? app.inSight().flatMap((m) => m.operators.map((o, i) => ({ m, o, i }))) : [];
  element('legend')
    .querySelector('div')
    ?.replaceChildren(
      ...operators.slice(0, 12).flatMap(({ m, o, i }) => line(dot(tone(m, i)), o.label)),
      ...(near
        ? [
            ...line(picture(mark(market, several, several, 5, 20)), words.markMeaning),
            ...line(picture(mark(market, several, 1, 4, 20)), words.hollowArc),
            ...line(picture(mark(market, 1, 0, 5, 20)), words.hollow),
          ]
        : [
            ...line(dot(tone(market, 0)), words.oneOperator),
            ...line(dot(color('several')), words.shared),
            ...line(dot(tone(market, 0), true), words.hollow),
          ]),
      ...(sectors ? line(small(wedge(market, several)), words.sector) : []),
      ...(shown('outages')
        ? [
            ...line(picture(warning(16, true)), words.outageDown),
            ...line(picture(warning(16, false)), words.outageDegraded),
          ]
        : []),
      ...(shown('week')
        ? ['new', 'active', 'gone'].flatMap((k) => line(picture(change(k, 16)), words['change_' + k]))
        : []),
      ...(shown('official')
        ? app.inSight().filter((m) => m.coverage.length > 0).flatMap((m) => expectation(m, app))
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

/** fold closes the legend where the map needs the room. */
export const fold = () =>
  element('legend').toggleAttribute('open', matchMedia('(min-width: 1200px) and (min-height: 600px)').matches);
