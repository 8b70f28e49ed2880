// No page has a word outside the table src/words.ts: looks for text in JSX, and for words in the attributes that
// people see or hear. Ends with 1 and names the places.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const home = join(dirname(fileURLToPath(import.meta.url)), '..');
const SEEN = new Set(['title', 'alt', 'label', 'placeholder', 'aria-label', 'aria-description', 'data-drop', 'caption', 'hint']);
const LETTERS = /\p{L}{2}/u;

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const found = [];
for (const path of sources(join(home, 'src'))) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const tell = (node) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${relative(home, path)}:${line + 1}: ${node.getText().trim()}`);
  };
  // In an expression that is shown, every string is: the branches of a condition, the sides of && and +.
  const shown = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const text = ts.isTemplateExpression(node) ? node.head.text + node.templateSpans.map((span) => span.literal.text).join('') : node.text;
      if (LETTERS.test(text)) tell(node);
    } else if (ts.isConditionalExpression(node)) {
      shown(node.whenTrue);
      shown(node.whenFalse);
    } else if (ts.isBinaryExpression(node)) {
      if (node.operatorToken.kind !== ts.SyntaxKind.EqualsEqualsEqualsToken) shown(node.right);
    } else if (ts.isParenthesizedExpression(node)) shown(node.expression);
  };
  const visit = (node) => {
    if (ts.isJsxText(node) && LETTERS.test(node.text)) tell(node);
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) shown(node.expression);
    if (ts.isJsxAttribute(node) && node.initializer && SEEN.has(node.name.getText()))
      shown(ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer);
    // Without JSX: setAttribute('aria-label', '...'), createTextNode('...'), announce('...').
    if (ts.isCallExpression(node)) {
      const name = node.expression.getText().split('.').at(-1);
      if (name === 'setAttribute' && SEEN.has(node.arguments[0]?.text)) shown(node.arguments[1]);
      if (name === 'createTextNode' || name === 'announce') node.arguments.forEach(shown);
    }
    ts.forEachChild(node, visit);
  };
  if (!path.endsWith('words.ts')) visit(file);
}
if (found.length) console.error(`words outside src/words.ts:\n${found.join('\n')}`);
process.exit(found.length ? 1 : 0);
