// On paper the map is a picture: what WebGL drew is gone by the time a printer asks for it.
import { datesOf, element, node } from './dom.mjs';

/** attach prepares the page for paper. @param {import('./types.d.ts').App} app */
export function attach(app) {
  /** @type {HTMLImageElement | null} */
  let picture = null;
  let theme = '';
  addEventListener('beforeprint', () => {
    theme = document.documentElement.style.colorScheme;
    document.documentElement.style.colorScheme = 'light'; // paper is white
    const day = new Date().toLocaleDateString(datesOf(app.words), { dateStyle: 'long' });
    const credit = document.querySelector('.maplibregl-ctrl-attrib-inner')?.textContent?.trim();
    element('paper').textContent = [location.href, `relais, ${day}`, credit].filter(Boolean).join(' · ');
    if (!app.map) return;
    app.map.redraw(); // the drawing lasts until the end of this task
    picture = node('img', {
      className: 'picture',
      alt: app.words.map,
      src: app.map.getCanvas().toDataURL('image/png'),
    });
    element('map').append(picture);
  });
  addEventListener('afterprint', () => {
    picture?.remove();
    picture = null;
    document.documentElement.style.colorScheme = theme;
  });
}
