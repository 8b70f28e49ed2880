// The files of a message that is being written, each with a button to remove it.
import { Icon } from '../parts/icon';
import { fill, words } from '../words';
import type { Attached } from './sheet';

interface ChipsProps {
  files: Attached[];
  remove: (id: string) => void;
  uploading?: string | null; // the name of one that is on its way
}

export function Chips({ files, remove, uploading }: ChipsProps) {
  if (!files.length && !uploading) return null;
  return (
    <ul class="chips" aria-label={words.chat.attached}>
      {files.map(({ id, name }) => (
        <li key={id}>
          <span dir="auto">{name}</span>
          <button
            type="button"
            class="bare"
            aria-label={fill(words.chat.detach, { name })}
            onClick={() => remove(id)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
      {uploading && <li role="status">{fill(words.chat.uploading, { name: uploading })}</li>}
    </ul>
  );
}
