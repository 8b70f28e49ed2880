// A text that comes in pieces gives the same nodes as the text at once; and nothing in it becomes an element
// that it should not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elements, root, show } from './dom';
import { Markdown } from '../../src/draw/markdown';

function drawn(...pieces: string[]): string {
  const at = root();
  const document = new Markdown(at);
  for (const piece of pieces) {
    document.append(piece);
    document.draw();
  }
  document.finish();
  return show(at);
}

const texts: Record<string, string> = {
  paragraphs: 'One.\nstill one\n\nTwo *em* **strong** `code`.\n\n\nThree\n===\nFour\n---\n',
  'an open list': '1. a\n\n1. b\n\n1) c\n- d\n\n  e\n\n\n  f\n* g\n  - h\n    1. i\n\n# j\n',
  'a list and a number': '- a\n\n1\n2. b\n\n1\n\n1. c\n',
  tasks: '- [ ] one\n- [x] two\n',
  table: 'before\n| a | b |\n|:--|--:|\n| 1 | **2** |\n| `x` | y\n\nafter | this\n',
  fences: 'x\n```python\nprint(1)\n``\n````\nafter\n~~~\n```\n~~~~  \nend\n```js\nopen\n  ``',
  'a fence in a list': '- a\n  ```c\n  int x;\n  ```\n- b\n\n> ```\n> q\n> ```\n\nlast',
  'an indented fence': '   ```c\n   int x;\n     int y;\n   ```\ntext',
  'indented code': 'a\n\n    code\n\n    more\nnot\n    lazy\n',
  quotes: '> a\nlazy\n> b\n\n> c\n>\n> - d\n\ne\n',
  html: '<div>\n*no*\n\n</div>\n<!-- a\n\nb --> c\n\n<script>\nalert(1)\n\n</script>\nd <b>e</b>\n',
  links: '[a](http://x.example) <http://y.example> https://z.example/a?b=c&amp;d [b][1]\n\n[1]: http://later.example\n\n[b][1]\n',
  rules: 'a\n\n---\n\n***\n- - -\nb\n',
  formulas: 'a $x_1$ b \\(y*z\\) *c $d*e$ f*\n\n$$\n\\frac{a}{b} \\\\\n- c\n# d\n$$\nafter\n\n\\[ e = mc^2 \\]\n\n- f $g$\n\n  $$h$$\n',
  'what only begins as a formula': '$$ a\n# b\n\nc $$\n\n\\[ d\n```\n$e$\n```\n\\] and $5 and $10\n\n$$ open\n- f',
  'no line ends': 'just *one* line',
  'line ends of another system': 'a\r\n\r\n```c\r\nx\r\n```\r\nb\r\n',
};

for (const [name, text] of Object.entries(texts))
  test(`${name}, cut at every position`, () => {
    const whole = drawn(text);
    for (let cut = 0; cut <= text.length; cut++)
      assert.equal(drawn(text.slice(0, cut), text.slice(cut)), whole, JSON.stringify(text.slice(0, cut)));
    assert.equal(drawn(...text), whole, 'one character at a time');
  });

test('all texts together, in pieces of several sizes', () => {
  const text = Object.values(texts).join('\n\n').repeat(3);
  const whole = drawn(text);
  for (const size of [1, 2, 3, 7, 64, 1000]) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
    assert.equal(drawn(...pieces), whole, `pieces of ${size}`);
  }
});

// Each level of these is a call of the lexer within a call. Those whose length or time grows with the square of
// the depth are less deep.
const square: Record<string, number> = { 'quotes of growing depth': 150, 'indented lists': 300, emphasis: 300 };
const nested: Record<string, (depth: number) => string> = {
  quotes: (depth) => '> '.repeat(depth) + 'inside',
  'quotes of several lines': (depth) => `${'> '.repeat(depth)}one\n${'> '.repeat(depth)}inside\nlazy`,
  'quotes of growing depth': (depth) =>
    Array.from({ length: depth }, (_, n) => `${'>'.repeat(n + 1)} line\n`).join('') + 'inside',
  lists: (depth) => '* '.repeat(depth) + 'inside',
  'numbered lists': (depth) => '1. '.repeat(depth) + 'inside',
  'indented lists': (depth) =>
    Array.from({ length: depth }, (_, n) => `${'  '.repeat(n)}- line\n`).join('') + `${'  '.repeat(depth)}inside`,
  'quotes and lists': (depth) => '> - '.repeat(depth) + 'inside',
  emphasis: (depth) => '*a **b '.repeat(depth) + 'inside' + '** *'.repeat(depth),
  'emphasis without an end': (depth) => '*a _b '.repeat(depth) + 'inside',
  'struck text': (depth) => '~~a *b '.repeat(depth) + 'inside' + '* ~~'.repeat(depth),
  images: (depth) => '![a '.repeat(depth) + 'inside' + '](http://x.example/)'.repeat(depth),
  links: (depth) => '[a '.repeat(depth) + 'inside' + '](http://x.example/)'.repeat(depth),
};

for (const [name, text] of Object.entries(nested))
  test(`${name}, nested too deeply to be drawn, are shown`, () => {
    const deep = `before\n\n${text(square[name] ?? 3000)}\n\nbehind\n`;
    assert.match(drawn(deep), /before[^]*inside[^]*behind/);
    const less = `before\n\n${text(40)}\n\nbehind\n`;
    for (const size of [7, 64])
      assert.equal(drawn(...less.match(new RegExp(`[^]{1,${size}}`, 'g'))!), drawn(less), `pieces of ${size}`);
  });

// What is a formula, and what is not.
const formulas: [string, ...string[]][] = [
  ['it costs $5 and $10'],
  ['between $5 or 10$ each, 7$ at most'],
  ['$HOME/$PATH, a US$5 note, 5$'],
  ['\\$x$ and $ x$ and $x $'],
  ['`$a$` and `\\(b\\)`'],
  ['```\n$a$\n$$b$$\n```\n\n    $c$'],
  ['$x$', '$x$'],
  ['so $a_1 * b_2$, $c*d$.', '$a_1 * b_2$', '$c*d$'],
  ['*so $a*b$ is* **$c$**', '$a*b$', '$c$'],
  ['\\(a\\) \\[b\\] $$c$$', '\\(a\\)', '\\[b\\]', '$$c$$'],
  ['text:\n\\[\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n\\]\nmore', '\\[\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n\\]'],
  ['$$\na\n\nb\n$$'],
  ['| $a$ | b |\n|---|---|\n| `$c$` | \\(d\\) |', '$a$', '\\(d\\)'],
  ['$\\text{costs \\$5}$', '$\\text{costs \\$5}$'],
  ['# $a$\n\n> $b$\n\n1. $c$', '$a$', '$b$', '$c$'],
  ['an open $a + b'],
  ['$1$ and $2^n$', '$2^n$'],
];
for (const [text, ...sources] of formulas)
  test(`formulas in ${JSON.stringify(text)}`, () => {
    const at = root();
    const document = new Markdown(at);
    document.append(text);
    document.finish();
    const found = elements(at).filter(({ className }) => className.startsWith('formula'));
    assert.deepEqual(found.map(({ textContent }) => textContent), sources);
  });

test('line breaks, the direction of blocks, and levels of headings', () => {
  assert.equal(drawn('a<br>b <BR/> c\n\n| a<br>b | c |\n|---|---|\n\n# d\n\n#### e\n').match(/<br>/g)?.length, 3);
  const at = root();
  const document = new Markdown(at);
  document.append('# a\n\nb\n\n- c\n\n> d\n\n|e|\n|---|\n');
  document.finish();
  const names = 'h3 p ul blockquote table th'.split(' ');
  const auto = elements(at).filter(({ dir }) => dir === 'auto').map(({ tagName }) => tagName);
  for (const name of names) assert.ok(auto.includes(name), name);
});

test('settled blocks are never touched', () => {
  const at = root();
  const document = new Markdown(at);
  document.append('one\n\ntwo\n\nthree\n');
  document.draw();
  const first = at.childNodes[0];
  document.append('four\n\n```c\nint x;\n');
  document.draw();
  const code = at.childNodes[3];
  document.append('int y;\n');
  document.draw();
  assert.equal(at.childNodes[0], first);
  assert.equal(at.childNodes[3], code, 'an open block grows, it is not made again');
  assert.match(show(code), /int x;\nint y;\n/);
});

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1)) [y](JAVASCRIPT&#58;alert(1)) [z](data:text/html,x) [v](vbscript:x)',
  '![x](http://tracker.example/a.png) ![y](javascript:alert(1)) ![z](data:image/svg+xml;base64,PHN2Zz4=)',
  '<iframe src="http://x.example"></iframe>\n\n<style>*{display:none}</style>',
  '```"><script>alert(1)</script>\nx\n```',
  '| <script> | <b> |\n|---|---|\n| <img src=x onerror=alert(1)> | [a](javascript:x) |',
  '- <svg onload=alert(1)>\n> <object data=x>',
  '[<img src=x>](http://x.example"onclick="alert(1))',
];
const allowed = new Set(
  'div p h3 h4 h5 h6 ul ol li table thead tbody tr th td blockquote hr strong em del code br a span pre button'.split(' '),
);

test('hostile Markdown stays text', () => {
  for (const text of hostile) {
    const at = root();
    const document = new Markdown(at);
    document.append(text);
    document.finish();
    for (const { tagName, href, src } of elements(at)) {
      assert.ok(allowed.has(tagName), `${tagName} in ${text}`);
      assert.match(href, /^(https?:|mailto:|$)/, text);
      assert.equal(src, '', text);
    }
  }
});
