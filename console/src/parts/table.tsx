// A table in a box of its own that scrolls sideways on narrow screens.
import type { ComponentChildren } from 'preact';

export interface Column<T> {
  title: string;
  cell: (row: T) => ComponentChildren;
  numeric?: boolean;
}

interface TableProps<T> {
  caption: string; // read by screen readers; the page's heading says it to all others
  columns: Column<T>[]; // the first one names the row
  rows: T[];
  id: (row: T) => string;
}

export function Table<T>({ caption, columns, rows, id }: TableProps<T>) {
  const [first, ...others] = columns;
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column.title} class={column.numeric ? 'numeric' : undefined}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)}>
              <th scope="row">{first.cell(row)}</th>
              {others.map((column) => (
                <td key={column.title} class={column.numeric ? 'numeric' : undefined}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
