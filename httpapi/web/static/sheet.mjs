// On a phone the card is a sheet with three stops: the title, half of the screen, all of it. It is
// dragged by its grip; the grip is also a button, for keyboards and for those who cannot drag.
import { element, isPhone } from './dom.mjs';

const stops = ['peek', 'half', 'full'];
let stop = 'half';

/** parts of the height of the map at each stop */
function heights() {
  const all = element('map').clientHeight;
  return [Math.min(140, all), Math.round(all * 0.5), all];
}

/** settle moves the sheet to a stop. @param {string} name @param {import('./types.d.ts').Words} words */
export function settle(name, words) {
  stop = name;
  const card = element('card'),
    grip = element('grip');
  card.dataset.stop = name;
  card.style.height = '';
  document.body.style.setProperty('--sheet', isPhone() && !card.hidden ? heights()[stops.indexOf(name)] + 'px' : '0px');
  grip.setAttribute('aria-label', words['sheet_' + (name === 'full' ? 'peek' : stops[stops.indexOf(name) + 1])]);
  grip.setAttribute('aria-expanded', String(name !== 'peek'));
}

/** attach makes the grip work. @param {import('./types.d.ts').Words} words @param {() => void} moved */
export function attach(words, moved) {
  const grip = element('grip'),
    card = element('card');
  let from = 0,
    height = 0,
    dragged = false;
  grip.addEventListener('pointerdown', (e) => {
    grip.setPointerCapture(e.pointerId);
    from = e.clientY;
    height = card.offsetHeight;
    dragged = false;
  });
  grip.addEventListener('pointermove', (e) => {
    if (!grip.hasPointerCapture(e.pointerId) || (!dragged && Math.abs(e.clientY - from) < 6)) return;
    dragged = true;
    card.style.height = Math.max(80, Math.min(heights()[2], height + from - e.clientY)) + 'px';
  });
  const release = (/** @type {PointerEvent} */ e) => {
    if (!grip.hasPointerCapture(e.pointerId)) return;
    grip.releasePointerCapture(e.pointerId);
    if (!dragged) return;
    const now = card.offsetHeight,
      all = heights();
    const near = all.map((h) => Math.abs(h - now));
    settle(stops[near.indexOf(Math.min(...near))], words);
    moved();
  };
  grip.addEventListener('pointerup', release);
  grip.addEventListener('pointercancel', release);
  grip.addEventListener('click', () => {
    if (dragged) {
      dragged = false;
      return;
    } // the end of a drag
    settle(stops[(stops.indexOf(stop) + 1) % stops.length], words);
    moved();
  });
  grip.addEventListener('keydown', (e) => {
    const by = e.key === 'ArrowUp' ? 1 : e.key === 'ArrowDown' ? -1 : 0;
    if (by === 0 || e.altKey) return;
    e.preventDefault();
    settle(stops[Math.min(2, Math.max(0, stops.indexOf(stop) + by))], words);
    moved();
  });
}

/**
 * offset is how far the middle of what is left of the map is from its middle, in pixels.
 * @returns {[number, number]}
 */
export function offset() {
  const card = element('card');
  if (card.hidden) return [0, 0];
  return isPhone() ? [0, -card.offsetHeight / 2] : [-card.offsetWidth / 2, 0];
}
