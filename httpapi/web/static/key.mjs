// With --map key the reader types a key once. It stays in this tab, and goes with every request.
import { ask, explain, lacksScope, onRefusal, useKey } from './data.mjs';
import { element, remember, remembered } from './dom.mjs';

/** @typedef {import('./types.d.ts').Words} Words */

const name = 'relais key',
  area = () => sessionStorage;

/**
 * prepare returns when there is a key that the server accepts. accepted is called for each later
 * key, with which data has to be read again.
 * @param {Words} words @param {() => void} accepted
 * @returns {Promise<void>}
 */
export async function prepare(words, accepted) {
  const dialog = /** @type {HTMLDialogElement} */ (element('key'));
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
  const input = /** @type {HTMLInputElement} */ (form.querySelector('input')),
    trouble = element('key-trouble');
  const test = async (/** @type {string} */ value) => {
    useKey(value);
    await ask('/markets');
    remember(area, name, value);
  };
  let needed = false;
  const open = (/** @type {string} */ text) => {
    needed = true;
    trouble.textContent = text;
    trouble.hidden = text === '';
    input.setAttribute('aria-invalid', String(text !== ''));
    if (!dialog.open) dialog.showModal();
    input.focus();
  };
  // without a key there is nothing to see: Escape does not help
  dialog.addEventListener('cancel', (e) => e.preventDefault());
  // browsers close it all the same when Escape is pressed twice
  dialog.addEventListener('close', () => {
    if (needed) open(trouble.textContent ?? '');
  });
  const why = (/** @type {unknown} */ e) => (lacksScope(e) ? words.key_INSUFFICIENT_SCOPE : explain(e, words));
  let started = false;
  await new Promise((/** @type {(v?: unknown) => void} */ done) => {
    const old = remembered(area, name);
    const proceed = () => {
      needed = false;
      if (dialog.open) dialog.close();
      if (started) accepted();
      started = true;
      done();
    };
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      const value = input.value.trim();
      // a header has no such characters
      if (!/^[\x21-\x7e]{1,400}$/.test(value)) {
        open(words.key_INVALID_API_KEY);
        return;
      }
      try {
        await test(value);
        input.value = '';
        proceed();
      } catch (x) {
        open(why(x));
      }
    });
    if (old) test(old).then(proceed, (x) => open(why(x)));
    else open('');
  });
  onRefusal((r) => {
    remember(area, name, '');
    open(explain(r, words));
  });
}
