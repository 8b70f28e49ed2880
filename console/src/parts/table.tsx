// A table. On a phone each row is a card, with the columns' titles as labels; its roles are written out, because some
// browsers take them away from what is not laid out as a table.
import type { ComponentChildren } from 'preact';
import { words } from '../words';

export interface Column<T> {
  title: string;
  cell: (row: T) => ComponentChildren;
  numeric?: boolean;
  bare?: boolean; // buttons that say themselves what they do: a card doesn't repeat the title
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
    <div class="scroll rows" role="region" aria-label={caption} tabIndex={0}>
      <table role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th scope="col" role="columnheader" key={column.title} class={column.numeric ? 'numeric' : undefined}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row" key={id(row)}>
              <th scope="row" role="rowheader">
                {first.cell(row)}
              </th>
              {others.map((column) => (
                <Cell key={column.title} of={column}>
                  {column.cell(row)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Cell: what is in it stands in one box, beside its label. A card leaves out what is empty.
function Cell<T>({ of, children }: { of: Column<T>; children: ComponentChildren }) {
  const empty = children === words.units.none || (!children && children !== 0);
  const looks = [of.numeric && 'numeric', of.bare && 'buttons', empty && 'nothing'].filter(Boolean).join(' ');
  return (
    <td role="cell" class={looks || undefined} data-label={of.bare ? undefined : of.title}>
      <div>{children}</div>
    </td>
  );
}
