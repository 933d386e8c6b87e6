// On paper the map is a picture: what WebGL drew is gone by the time a printer asks for it.
import { element, node } from './dom.mjs';

/** attach prepares the page for paper. @param {import('./types.d.ts').App} app */
export function attach(app) {
  /** @type {HTMLImageElement | null} */
  let picture = null;
  let theme = '';
  addEventListener('beforeprint', () => {
    theme = document.documentElement.dataset.theme ?? '';
    document.documentElement.dataset.theme = 'light'; // paper is white
    element('paper').textContent =
      `${location.href} · relais, ${new Date().toLocaleDateString(app.words.lang, { dateStyle: 'long' })}`;
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
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  });
}
