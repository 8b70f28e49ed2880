// Where a text has formulas, and what is drawn of them. Formulas are found before Markdown reads the text, since
// it would take away their backslashes; in code nothing is a formula. A formula is shown as its source until the
// library is there, while it is still coming, and where the library can't read it.
import type { Token, TokenizerExtension } from 'marked';
import { words } from '../words';

export interface Formula {
  type: 'formula';
  raw: string;
  tex: string;
  display: boolean; // on a line of its own
}

const LONGEST = 10_000; // characters; a longer formula is shown as its source
const LONG = 60; // characters of a formula that may be wider than a narrow screen

// A display formula has no empty line: that ends it in TeX too.
const BLOCK = /^ {0,3}(?:\$\$((?:(?!\n[ \t]*\n)[^])+?)\$\$|\\\[((?:(?!\n[ \t]*\n)[^])+?)\\\])[ \t]*(?:\n|$)/;
const OPEN = /^ {0,3}(?:\$\$|\\\[)(?:(?!\n[ \t]*\n|\$\$|\\\])[^])*$/;
const INLINE =
  /^(?:\$\$((?:(?!\n[ \t]*\n)[^`])+?)\$\$|\\\[((?:(?!\n[ \t]*\n)[^`])+?)\\\]|\\\(((?:(?!\n[ \t]*\n)[^`])+?)\\\))/;
// Between single dollars: no blank inside of them, no letter or digit outside of them.
const DOLLARS = /^\$((?:\\[^\n]|[^\s$\\`])(?:(?:\\[^\n]|[^$\\`\n])*?(?:\\[^\n]|[^\s$\\`]))?)\$(?![\p{L}\p{N}$])/u;
const AMOUNT = /^[\d.,]+\s+\p{L}{2}|^[\d.,]+$/u; // "$5 or 10$", "$5$": prices
const START = /\$|\\[([]/;

export const blockFormula: TokenizerExtension = {
  name: 'formula',
  level: 'block',
  start: (text) => interrupts(text, BLOCK),
  tokenizer: (text) => {
    const found = BLOCK.exec(text);
    return found ? formula(found[0], found[1] ?? found[2], true) : undefined;
  },
};

// openFormula: a display formula whose end has not come. It is held back, and read as anything else once an empty line
// or the end of the text shows that it is none.
export const openFormula: TokenizerExtension = {
  name: 'openFormula',
  level: 'block',
  start: (text) => interrupts(text, OPEN),
  tokenizer: (text) => {
    const found = OPEN.exec(text);
    return found ? { type: 'openFormula', raw: found[0] } : undefined;
  },
};

// interrupts: where a formula ends the paragraph that the text begins with.
function interrupts(text: string, formula: RegExp): number | undefined {
  const paragraph = /\n[ \t]*\n/.exec(text)?.index ?? text.length;
  for (const { index } of text.slice(0, paragraph).matchAll(/\n {0,3}(?:\$\$|\\\[)/g))
    if (formula.test(text.slice(index + 1))) return index;
  return undefined;
}

export const inlineFormula: TokenizerExtension = {
  name: 'formula',
  level: 'inline',
  start: (text) => text.match(START)?.index,
  tokenizer: (text, before) => inline(text, before.at(-1)?.raw.at(-1) ?? ''),
};

function inline(text: string, before: string): Formula | undefined {
  const found = INLINE.exec(text);
  if (found) return formula(found[0], found[1] ?? found[2] ?? found[3], found[3] === undefined);
  const single = DOLLARS.exec(text);
  if (!single || /[\p{L}\p{N}$\\]/u.test(before) || AMOUNT.test(single[1])) return undefined;
  return formula(single[0], single[1], false);
}

function formula(raw: string, tex: string, display: boolean): Formula {
  return { type: 'formula', raw, tex: tex.trim(), display };
}

// hide: the text with other characters in place of formulas, so that no emphasis begins or ends in one.
export function hide(text: string): string {
  if (!START.test(text)) return text;
  let hidden = '';
  for (let at = 0; at < text.length; ) {
    const found = text[at] === '$' || text[at] === '\\' ? inline(text.slice(at), text[at - 1] ?? '') : undefined;
    const step = found ? found.raw.length : 1;
    hidden += found ? 'a'.repeat(step) : text[at];
    at += step;
  }
  return hidden;
}

export const isFormula = (token: Token): token is Token & Formula => token.type === 'formula';

type Render = (tex: string, display: boolean) => Node;

let render: Render | null = null;
let asked = false;
const waiting = new Set<{ place: HTMLElement; formula: Formula }>();
const known = new Map<string, Node | null>(); // null: it can't be read
const KNOWN = 500;

// formulaNode: the formula, or its source until it can be drawn.
export function formulaNode(formula: Formula): HTMLElement {
  const place = document.createElement('span');
  place.className = formula.display ? 'formula display' : formula.tex.length > LONG ? 'formula long' : 'formula';
  place.append(formula.raw.trim());
  if (render) draw(place, formula);
  else {
    waiting.add({ place, formula });
    load();
  }
  return place;
}

function load(): void {
  if (asked || typeof MathMLElement === 'undefined') return;
  asked = true;
  import('./temml').then(
    (file) => {
      render = file.render;
      for (const { place, formula } of waiting) draw(place, formula);
      waiting.clear();
    },
    () => (asked = false), // the next formula asks again
  );
}

function draw(place: HTMLElement, formula: Formula): void {
  const made = nodeOf(formula);
  if (!made) return;
  place.replaceChildren(made);
  if (formula.display || formula.tex.length > LONG) {
    place.tabIndex = 0; // it may scroll sideways
    place.setAttribute('role', 'group');
    place.setAttribute('aria-label', words.draw.formula);
  }
}

// A text that grows is drawn again and again; its formulas are not read anew.
function nodeOf({ tex, display }: Formula): Node | null {
  const key = `${display ? 'd' : 'i'}${tex}`;
  let made = known.get(key);
  if (made === undefined) {
    made = null;
    if (tex.length <= LONGEST)
      try {
        made = render!(tex, display);
      } catch {
        // the source says what was meant
      }
    if (known.size >= KNOWN) known.delete(known.keys().next().value!);
    known.set(key, made);
  }
  return made?.cloneNode(true) ?? null;
}
