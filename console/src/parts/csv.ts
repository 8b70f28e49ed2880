// Files of comma-separated values.

// A field of one: quoted where it must be, and never a formula of a spreadsheet.
export function csvField(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLines = (lines: string[][]): string => lines.map((line) => line.map(csvField).join(',')).join('\r\n') + '\r\n';

// lineCount: the lines of a file of the gateway, without the first; quoted cells may have line breaks.
export const lineCount = (text: string): number => text.replace(/"[^"]*"/g, '').split('\r\n').length - 2;

// withoutHead: the same file without the names of its columns.
export const withoutHead = (text: string): string => text.slice(text.indexOf('\r\n') + 2);
