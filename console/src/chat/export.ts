// A conversation as Markdown, in the shape that it was written in: formulas, code and tables keep their source.
import { words } from '../words';
import type { Segment } from './segments';
import type { Turn } from './store';

export function markdownOf(title: string, instruction: string, turns: Turn[]): string {
  const parts = [`# ${title || words.chat.untitled}`];
  if (instruction) parts.push(`## ${words.chat.instruction}`, instruction);
  turns.forEach((turn, place) => {
    const joined = turn.role === 'assistant' && turns[place - 1]?.role === 'assistant';
    if (!joined) parts.push(`## ${turn.role === 'user' ? words.chat.you : (turn.model ?? words.chat.answer)}`);
    parts.push(...turn.segments.map(part).filter(Boolean));
  });
  return `${parts.join('\n\n')}\n`;
}

function part(segment: Segment): string {
  switch (segment.type) {
    case 'text':
      return segment.text.trim();
    case 'reasoning':
      return quote(`**${words.chat.reasoning}**\n\n${segment.text.trim()}`);
    case 'code':
      return fence(segment.language, segment.text);
    case 'console':
      return `${words.chat.console}\n\n${fence('', segment.text)}`;
    case 'call':
      return `${words.chat.call} \`${segment.name}\`\n\n${fence('json', segment.text)}`;
    case 'result':
      return `${words.chat.result}\n\n${fence('', segment.text)}`;
    case 'error':
      return quote(`**${words.chat.error}** ${segment.text}`);
    case 'file':
      return `*${segment.name}*`;
    case 'image':
      return `*${words.chat.image}*`;
    case 'confirmation':
      return '';
  }
}

const quote = (text: string): string => text.replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>');

// fence: longer than any in the text.
function fence(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const line = '`'.repeat(longest + 1);
  return `${line}${language}\n${text.replace(/\n$/, '')}\n${line}`;
}

// fileName: what all systems take as a name.
export const fileName = (title: string): string =>
  `${title.replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, ' ').replaceAll(/\s+/g, ' ').trim().slice(0, 80) || words.chat.untitled}.md`;
