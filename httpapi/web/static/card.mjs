// The card of a site is the main part of its page.
import { node } from './filters.mjs';

export async function open(card, key, words, closed) {
  const close = node('button', { type: 'button', className: 'close', textContent: '×', title: words.close });
  close.setAttribute('aria-label', words.close);
  close.addEventListener('click', closed);
  card.hidden = false;
  card.replaceChildren(close, node('p', { textContent: words.loading + ' …' }));
  try {
    const answer = await fetch(`/site/${encodeURIComponent(key)}?lang=${words.lang}`);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    card.replaceChildren(close, ...document.adoptNode(page.querySelector('main')).childNodes);
  } catch {
    card.replaceChildren(close, node('p', { textContent: words.serverSilent }));
  }
  close.focus();
}
