// A button that saves what a route has as CSV: all pages of it, as one file.
import { useState } from 'preact/hooks';
import { call } from '../api';
import { words } from '../words';
import { useAction } from './action';
import { announce } from './announce';
import { lineCount, withoutHead } from './csv';
import { count } from './format';
import { Icon } from './icon';
import { save } from './save';
import { Refused } from './state';

interface CsvButtonProps {
  path: (after: string | undefined) => string; // of a page
  most: number; // lines, about
  name: string;
}

export function CsvButton({ path, most, name }: CsvButtonProps) {
  const action = useAction();
  const [cut, setCut] = useState<number | null>(null);
  const download = () =>
    action.run(async () => {
      setCut(null);
      const pages: string[] = [];
      let lines = 0;
      let after: string | null = null;
      do {
        const answer: Response = await call(path(after ?? undefined));
        const text = await answer.text();
        pages.push(pages.length ? withoutHead(text) : text);
        lines += lineCount(text);
        after = answer.headers.get('x-next');
      } while (after && lines < most);
      save(new Blob(pages, { type: 'text/csv' }), name);
      announce(count(lines, words.csv.saved));
      if (after) setCut(lines);
    });
  return (
    <>
      <button type="button" disabled={action.busy} onClick={download}>
        <Icon name="down" />
        {words.csv.download}
      </button>
      {action.error && <Refused error={action.error} />}
      {cut !== null && (
        <p class="notice" role="status">
          {count(cut, words.csv.cut)}
        </p>
      )}
    </>
  );
}
