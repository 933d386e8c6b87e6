// Positions as people write them: 48.85, 2.35; 48,85 2,35; 48°51.5'N 2°21'E; N 48 51 30 E 2 21 0;
// geo:48.85,2.35. Letters are N, S, E, W and the French O.

/** fold makes a text plain: one separator, one decimal sign. @param {string} text */
function fold(text) {
  let plain = text.trim().replace(/^geo:/i, '').replace(/[−–]/g, '-');
  const dots = /\d\.\d/.test(plain);
  // without points, a comma between digits is the decimal sign, except the only one
  if (!dots && (plain.match(/\d,\d/g) ?? []).length > 1) plain = plain.replace(/(\d),(\d)/g, '$1.$2');
  return plain.replace(/[°ºd'’′"”″,;:\s]+/gi, ' ').trim();
}

/**
 * groups splits a text into numbers with their letter, null where it has anything else.
 * @param {string} text
 */
function groups(text) {
  const tokens = text.match(/[NSEWO](?![a-z])|[-+]?\d+(?:\.\d+)?|\S/gi) ?? [];
  const before = /^[a-z]/i.test(text); // the letter stands before its numbers
  /** @type {{letter: string, numbers: number[]}[]} */
  const list = [];
  let open = false;
  for (const token of tokens) {
    const letter = /^[NSEWO]$/i.test(token);
    if (!letter && Number.isNaN(Number(token))) return null;
    if (!open || (letter && before)) list.push({ letter: '', numbers: [] });
    open = !letter || before;
    const last = list[list.length - 1];
    if (letter) last.letter = token.toUpperCase();
    else last.numbers.push(Number(token));
  }
  return list;
}

/** @param {number[]} parts degrees, minutes, seconds */
function degrees(parts) {
  const [d, m = 0, s = 0] = parts;
  if (parts.length === 0 || parts.length > 3 || m < 0 || m >= 60 || s < 0 || s >= 60) return NaN;
  if ((parts.length > 1 && !Number.isInteger(d)) || (parts.length > 2 && !Number.isInteger(m))) return NaN;
  return (d < 0 || Object.is(d, -0) ? -1 : 1) * (Math.abs(d) + m / 60 + s / 3600);
}

/**
 * coordinates reads a position, null where the text is something else.
 * @param {string} text
 * @returns {import('./types.d.ts').Point | null}
 */
export function coordinates(text) {
  if (text.length > 100 || !/\d/.test(text)) return null;
  const list = groups(fold(text));
  if (!list) return null;
  if (list.length === 1 && list[0].letter === '') {
    const { numbers } = list[0],
      half = numbers.length / 2;
    // "75 001" is not a position: without letters, two numbers need a separator or a fraction
    if (![1, 2, 3].includes(half) || (half === 1 && !/[.,;]/.test(text))) return null;
    return valid(degrees(numbers.slice(0, half)), degrees(numbers.slice(half)));
  }
  if (list.length !== 2) return null;
  const value = (/** @type {string} */ letters) => {
    const g = list.find((x) => x.letter !== '' && letters.includes(x.letter));
    return g ? degrees(g.numbers) * ('SWO'.includes(g.letter) ? -1 : 1) : NaN;
  };
  return valid(value('NS'), value('EWO'));
}

/** @param {number} lat @param {number} lng */
const valid = (lat, lng) => (Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null);
