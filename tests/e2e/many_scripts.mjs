// Texts in thirty scripts and more, without a file of texts: the names of countries, languages, scripts and currencies that
// ICU has in each language, put together at random, and spoilt in the ways that texts are. The same seed gives the same texts.

// A language for each script, or the script's own letters where ICU has no names: [language or name, first, last letter].
const LANGUAGES = ['en', 'fr', 'vi', 'tr', 'ru', 'uk', 'el', 'hy', 'ka', 'he', 'yi', 'ar', 'fa', 'ur', 'ps', 'ug', 'hi', 'mr', 'ne', 'bn', 'as', 'pa', 'gu', 'or',
  'ta', 'te', 'kn', 'ml', 'si', 'th', 'lo', 'my', 'km', 'bo', 'am', 'ti', 'zh', 'zh-Hant', 'ja', 'ko', 'mn', 'chr', 'ii', 'sd', 'yue', 'ckb', 'dz', 'de', 'pl', 'hu',
  'zgh', 'sat', 'ff-Adlm', 'nqo', 'mni', 'vai', 'ccp'];
const BLOCKS = [[0x710, 0x72f], [0x780, 0x7a5], [0x16a0, 0x16ea], [0x1700, 0x1711], [0x1820, 0x1842], [0x1950, 0x196d], [0x1980, 0x19ab], [0x1a00, 0x1a16],
  [0x1b05, 0x1b33], [0x2c00, 0x2c2f], [0x2c80, 0x2cb1], [0x2d30, 0x2d67], [0x3105, 0x312f], [0xa4d0, 0xa4f7], [0xa840, 0xa873], [0x10330, 0x1034a],
  [0x10400, 0x1044f], [0x1d400, 0x1d433], [0x20000, 0x200ff], [0xac00, 0xd7a3], [0x1f600, 0x1f64f], [0x2190, 0x21ff], [0x3400, 0x34ff], [0xff21, 0xff5a]];

/** Numbers from 0 on, below n. */
export function random(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const codes = () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const pairs = letters.flatMap((a) => letters.map((b) => a + b));
  return { region: pairs, language: pairs.map((code) => code.toLowerCase()),
    script: ['Arab', 'Cyrl', 'Deva', 'Grek', 'Hang', 'Hans', 'Hebr', 'Latn', 'Thai', 'Taml'], currency: ['EUR', 'USD', 'JPY', 'INR', 'RUB', 'CHF', 'ISK', 'KRW'] };
};

function wordsOf(language) {
  const words = [];
  for (const [type, all] of Object.entries(codes())) {
    const names = new Intl.DisplayNames([language], { type, fallback: 'none' });
    for (const code of all) {
      try {
        const name = names.of(code);
        if (name) words.push(...name.split(' '));
      } catch { /* no such code */ }
    }
  }
  return words;
}

let lists;
const wordLists = () => (lists ??= [...LANGUAGES.map(wordsOf).filter((words) => words.length > 20),
  ...BLOCKS.map(([first, last]) => Array.from({ length: 60 }, (_, i) => String.fromCodePoint(...Array.from({ length: 1 + (i % 5) }, (_, k) =>
    first + ((i * 7 + k * 13) % (last - first + 1))))))]);

const SPOILT = [(s) => s.toUpperCase(), (s) => s.replaceAll(' ', '  '), (s) => `  ${s} `, (s) => s.replaceAll(' ', '\u3000'), (s) => s.replaceAll(' ', '\t'),
  (s) => s.replaceAll(' ', '\u00a0'), (s) => `${s}!?`, (s) => `"${s}" (2026-11-19, 3.14 %)`, (s) => s.replaceAll(' ', '\u200b'), (s) => `\ufeff${s}\u00ad`,
  (s) => `${s} 👩‍💻🏳️‍🌈`, (s) => s.replaceAll(' ', ''), (s) => `#${s}/[[${s}]] ${s}`, (s) => [...s].map((c) => (c > ' ' && c < '\x7f' ? String.fromCharCode(c.charCodeAt(0) + 0xfee0) : c)).join(''),
  (s) => `①② ½ ﬁ ㎏ ${s}`];

/** n texts; composed: in normal form C, as nearly all text is. */
export function someTexts(n, seed = 1, composed = false) {
  const next = random(seed), all = wordLists(), texts = [];
  while (texts.length < n) {
    const words = all[texts.length % all.length], other = all[next(all.length)];
    let text = Array.from({ length: 1 + next(12) }, () => (next(12) === 0 ? other[next(other.length)] : words[next(words.length)])).join(' ');
    if (next(3) === 0) text = SPOILT[next(SPOILT.length)](text);
    text = composed || next(10) > 0 ? text.normalize('NFC') : text.normalize('NFD');
    texts.push(text.replace(/[\n\r]/g, ' '));
  }
  return texts;
}

/** The scripts that have letters in the texts. */
export function scriptsOf(texts) {
  const names = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada',
    'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Myanmar', 'Khmer', 'Tibetan', 'Ethiopic', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Mongolian', 'Cherokee', 'Yi', 'Syriac', 'Thaana',
    'Runic', 'Bopomofo', 'Tifinagh', 'Coptic', 'Gothic', 'Deseret', 'Glagolitic', 'Nko', 'Ol_Chiki', 'Adlam', 'Vai'];
  const all = texts.join(' ');
  return names.filter((name) => new RegExp(`\\p{Script=${name}}`, 'u').test(all));
}
