// Markdown that grows. A document is settled blocks and a tail: settled blocks are never touched, the tail
// alone is lexed again, and an open code block grows by appending to its text.
//
// A block is settled when a later block has begun on complete lines: what follows can't change it any more.
// So a text that came in pieces gives the same nodes as the text at once.
import { Lexer, Tokenizer, type MarkedOptions, type MarkedToken, type Token } from 'marked';
import { codeView, type CodeView } from './code';
import { blockFormula, hide, inlineFormula, openFormula } from './math';
import { blockNodes } from './nodes';

const PIECE = 8192; // characters that are lexed at a time
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

// What is nested more deeply is text: each level is a call of the lexer within a call, and the stack is finite.
const DEEPEST = 32;

// Reference definitions are text: they would reach back into settled blocks.
class Blocks extends Tokenizer {
  private depth = 0;

  override def(): undefined {
    return undefined;
  }
  override blockquote(...given: Parameters<Tokenizer['blockquote']>) {
    return this.within(() => super.blockquote(...given));
  }
  override list(...given: Parameters<Tokenizer['list']>) {
    return this.within(() => super.list(...given));
  }
  override link(...given: Parameters<Tokenizer['link']>) {
    return this.within(() => super.link(...given));
  }
  override reflink(...given: Parameters<Tokenizer['reflink']>) {
    return this.within(() => super.reflink(...given));
  }
  override emStrong(...given: Parameters<Tokenizer['emStrong']>) {
    return this.within(() => super.emStrong(...given));
  }
  override del(...given: Parameters<Tokenizer['del']>) {
    return this.within(() => super.del(...given));
  }

  private within<T>(read: () => T): T | undefined {
    if (this.depth === DEEPEST) return undefined;
    this.depth += 1;
    try {
      return read();
    } finally {
      this.depth -= 1;
    }
  }
}

// A formula that is still open is held back until the text is `complete`.
function extensions(complete: boolean) {
  const blocks = complete ? [blockFormula] : [blockFormula, openFormula];
  return {
    block: blocks.map(({ tokenizer }) => tokenizer),
    startBlock: blocks.map(({ start }) => start),
    inline: [inlineFormula.tokenizer],
    startInline: [inlineFormula.start!],
  };
}

const hooks = { emStrongMask: hide };

export function lex(text: string, complete = false): Token[] {
  const options = { gfm: true, tokenizer: new Blocks(), extensions: extensions(complete), hooks };
  return new Lexer(options as unknown as MarkedOptions).lex(text);
}

export class Markdown {
  private pending = ''; // what came and was not lexed yet
  private tail = ''; // the source of what is not settled
  private tailNodes: Node[] = [];
  private open: { fence: string; view: CodeView; held: string } | null = null; // the tail is an open code block

  constructor(private readonly root: HTMLElement) {}

  append(text: string): void {
    this.pending += text.replaceAll('\r', '');
  }

  // draw: works until the time is over. Returns whether all that came is drawn.
  draw(until = Infinity): boolean {
    let changed = false;
    while (this.pending) {
      const piece = this.pending.slice(0, PIECE);
      this.pending = this.pending.slice(PIECE);
      this.tail += piece;
      if (!this.open || !this.feed(piece)) {
        changed = true;
        this.settle();
      }
      if (performance.now() >= until) break;
    }
    if (changed && !this.open) this.drawTail();
    return this.pending === '';
  }

  // finish: the text is complete; the tail is settled as it is.
  finish(): void {
    this.draw();
    this.open = null;
    this.drawTail(true);
    this.tailNodes = [];
    this.tail = '';
  }

  // settle: moves the blocks that can't change any more out of the tail.
  private settle(): void {
    this.open = null;
    const tokens = lex(this.tail.slice(0, this.tail.lastIndexOf('\n') + 1));
    const last = tokens.findLastIndex((token) => token.type !== 'space');
    const settled = tokens.slice(0, isClosed(tokens[last]) ? last + 1 : Math.max(0, last));
    if (settled.length > 0) {
      this.clearTail();
      this.root.append(...settled.flatMap((token) => blockNodes(token, true)));
      this.tail = this.tail.slice(settled.reduce((length, token) => length + token.raw.length, 0));
    }
    this.openCode();
  }

  private clearTail(): void {
    for (const node of this.tailNodes) node.parentNode?.removeChild(node);
    this.tailNodes = [];
  }

  private drawTail(settled = false): void {
    this.clearTail();
    this.tailNodes = lex(this.tail, settled).flatMap((token) => blockNodes(token, settled));
    this.root.append(...this.tailNodes);
  }

  // openCode: takes the tail for an open code block where it is one: its first line is complete, its end has
  // not come.
  private openCode(): void {
    const fence = FENCE.exec(this.tail)?.[1];
    const start = this.tail.indexOf('\n') + 1;
    if (!fence || start === 0) return;
    const token = lex(this.tail.slice(0, start))[0] as MarkedToken;
    if (token.type !== 'code' || token.codeBlockStyle === 'indented') return;
    this.clearTail();
    const view = codeView(token.lang ?? '');
    this.open = { fence, view, held: '' };
    this.tailNodes = [view.element];
    this.root.append(view.element);
    this.feed(this.tail.slice(start));
  }

  // feed: appends to the open block, and holds back a last line that may be its end. False: the end has come.
  private feed(piece: string): boolean {
    const { fence, view, held } = this.open!;
    const text = held + piece;
    const last = text.slice(text.lastIndexOf('\n') + 1);
    const lines = text.split('\n').slice(0, -1);
    if (lines.some((line) => closes(line, fence))) return false;
    this.open!.held = /^ {0,3}[`~]* *$/.test(last) ? last : '';
    view.append(text.slice(0, text.length - this.open!.held.length));
    return true;
  }
}

function closes(line: string, fence: string): boolean {
  const trimmed = line.replace(/^ {0,3}/, '');
  return trimmed.startsWith(fence) && /^[`~]+ *$/.test(trimmed);
}

// A fenced block whose end has come is settled as soon as that line is complete.
function isClosed(token: Token | undefined): boolean {
  const fence = token?.type === 'code' && FENCE.exec(token.raw)?.[1];
  const lines = token?.raw.trimEnd().split('\n') ?? [];
  return Boolean(fence) && lines.length > 1 && closes(lines.at(-1)!, fence as string);
}
