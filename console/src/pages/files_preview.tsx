// A look into a file: texts and images. The content comes by fetch, since an element can't send the key, and an image is
// shown as a blob. Nothing else of a file is interpreted.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api';
import { Dialog } from '../parts/dialog';
import { bytes, time } from '../parts/format';
import { useLoad } from '../parts/load';
import { picture } from '../parts/picture';
import { save } from '../parts/save';
import { State } from '../parts/state';
import { fill, words } from '../words';
import type { StoredFile } from './files';

const SHOWN_MAX = 20_000_000; // larger files are downloaded only
const TEXT_MAX = 100_000; // characters; a longer text would make the page stutter

type Content =
  | { kind: 'text'; blob: Blob; text: string; cut: boolean }
  | { kind: 'image'; blob: Blob }
  | { kind: 'other'; blob: Blob | null };

export function Preview({ of, onClose }: { of: StoredFile; onClose: () => void }) {
  const read = useLoad<Content>(
    (signal) => (of.bytes > SHOWN_MAX ? Promise.resolve({ kind: 'other', blob: null }) : look(of, signal)),
    [of.id],
  );
  const download = async () => save(read.data?.blob ?? (await content(of)), of.filename);
  return (
    <Dialog title={of.filename} onClose={onClose}>
      <div class="stack preview">
        <p class="fine">
          {bytes(of.bytes)} · {time(of.created_at)} · <code>{of.id}</code>
        </p>
        <State of={read}>{(found) => <Shown of={found} name={of.filename} />}</State>
        <footer>
          <button type="button" onClick={() => void download()}>
            {words.actions.download}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}

async function content(of: StoredFile, signal?: AbortSignal): Promise<Blob> {
  return (await call(`/v1/files/${of.id}/content`, { signal })).blob();
}

async function look(of: StoredFile, signal: AbortSignal): Promise<Content> {
  const blob = await content(of, signal);
  const image = await picture(blob);
  if (image) return { kind: 'image', blob: image };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await blob.arrayBuffer());
    if (text.includes('\0')) return { kind: 'other', blob };
    return { kind: 'text', blob, text: text.slice(0, TEXT_MAX), cut: text.length > TEXT_MAX };
  } catch {
    return { kind: 'other', blob }; // not UTF-8
  }
}

function Shown({ of, name }: { of: Content; name: string }) {
  switch (of.kind) {
    case 'text':
      return (
        <>
          <pre class="sheet" tabIndex={0} aria-label={name}>
            {of.text}
          </pre>
          {of.cut && <p class="fine">{fill(words.files.cut, { n: TEXT_MAX })}</p>}
        </>
      );
    case 'image':
      return <Picture blob={of.blob} name={name} />;
    case 'other':
      return <p>{of.blob ? words.files.noPreview : words.files.tooLarge}</p>;
  }
}

function Picture({ blob, name }: { blob: Blob; name: string }) {
  const [address, setAddress] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return address ? <img src={address} alt={fill(words.files.image, { name })} /> : null;
}
