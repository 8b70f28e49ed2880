// Prism, of which only the tokens are used, with the languages that answers have most.
import Prism from './prism_core';
import 'prismjs/components/prism-markup';
import 'prismjs/components/prism-css';
import 'prismjs/components/prism-clike';
import 'prismjs/components/prism-javascript';
import 'prismjs/components/prism-bash';
import 'prismjs/components/prism-c';
import 'prismjs/components/prism-cpp';
import 'prismjs/components/prism-diff';
import 'prismjs/components/prism-go';
import 'prismjs/components/prism-java';
import 'prismjs/components/prism-json';
import 'prismjs/components/prism-python';
import 'prismjs/components/prism-rust';
import 'prismjs/components/prism-sql';
import 'prismjs/components/prism-typescript';
import 'prismjs/components/prism-yaml';

const aliases: Record<string, string> = { console: 'bash', zsh: 'bash', jsx: 'javascript', tsx: 'typescript', jsonc: 'json', 'c++': 'cpp', rs: 'rust', golang: 'go' };

export const tokenize = Prism.tokenize;

export function grammar(language: string): Prism.Grammar | undefined {
  const found = Prism.languages[aliases[language] ?? language];
  return typeof found === 'object' ? found : undefined;
}
