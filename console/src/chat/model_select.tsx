// The choice of the model that is asked: a button that says which one it is, and opens the picker.
import { useState } from 'preact/hooks';
import { Icon, type IconName } from '../parts/icon';
import { NotYet, useLazy } from '../parts/lazy';
import { Dialog } from '../parts/dialog';
import { fill, words } from '../words';

interface ModelSelectProps {
  value: string;
  change: (model: string) => void;
  label?: string;
  icon?: IconName; // in place of the model's name
}

const picker = () => import('./model_picker');

export function ModelSelect({ value, change, label = words.chat.model, icon }: ModelSelectProps) {
  const [open, setOpen] = useState(false);
  const lazy = useLazy(open ? picker : null);
  const close = () => setOpen(false);
  const name = icon ? label : fill(words.models.chosen, { label, model: value || words.units.none });
  return (
    <>
      <button
        type="button"
        class={icon ? 'bare' : 'model'}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={name}
        title={name}
        onClick={() => setOpen(true)}
      >
        {!icon && <span dir="auto">{value || words.units.none}</span>}
        <Icon name={icon ?? 'chevron'} />
      </button>
      {open && (
        <Dialog title={label} onClose={close}>
          {lazy.file ? (
            <lazy.file.default
              value={value}
              choose={(model) => {
                change(model);
                close();
              }}
            />
          ) : (
            <NotYet missing={lazy.missing} retry={lazy.retry} />
          )}
        </Dialog>
      )}
    </>
  );
}
