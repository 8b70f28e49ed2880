// The form for a key. A password manager keeps the key, the console does not.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api';
import { issuers, leave, nameOf, type Issuer } from './issuer';
import { Icon } from './parts/icon';
import { Refused } from './parts/state';
import { lost, phase, signIn, turnedBack } from './session';
import { words } from './words';

export function SignIn() {
  return (
    <main id="main" class="sign-in" tabIndex={-1}>
      <p class="brand">{words.product}</p>
      <h1>{words.signIn.title}</h1>
      {lost.value && <Ended />}
      <KeyForm />
    </main>
  );
}

// SignInAgain: over a page whose session has ended. The page stays as it is, and is not seen.
export function SignInAgain() {
  const element = useRef<HTMLDialogElement>(null);
  const show = () => phase.value === 'out' && !element.current?.open && element.current?.showModal();
  useEffect(() => void show(), []);
  return (
    <dialog
      ref={element}
      class="sign-in again"
      aria-labelledby="sign-in-again"
      onCancel={(event) => event.preventDefault()}
      onClose={show}
    >
      <p class="brand">{words.product}</p>
      <h1 id="sign-in-again">{words.signIn.title}</h1>
      <Ended stays />
      <KeyForm />
    </dialog>
  );
}

function Ended({ stays }: { stays?: boolean }) {
  return (
    <div class="notice" role="alert">
      <Icon name="warn" />
      <div>
        <strong>{words.signIn.ends[lost.value ?? 'ended']}</strong>
        {stays && lost.value !== 'closed' && <p>{words.signIn.stays}</p>}
      </div>
    </div>
  );
}

function KeyForm() {
  const [key, setKey] = useState('');
  const [keep, setKeep] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);

  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn(key.trim(), keep);
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)));
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit}>
      <p>{words.signIn.text}</p>
      <label>
        {words.signIn.key}
        <input
          type="password"
          autocomplete="current-password"
          required
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
      </label>
      <label class="choice">
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
        {words.signIn.keep}
      </label>
      {(error ?? turnedBack.value) && <Refused error={(error ?? turnedBack.value)!} />}
      <button class="primary" disabled={busy}>
        {busy ? words.signIn.busy : words.signIn.submit}
      </button>
      <p class="fine">{keep ? words.signIn.noteKept : words.signIn.note}</p>
      <Issuers keep={keep} />
    </form>
  );
}

// Issuers: a button for each that people can sign in with; where there is none, the form is as it was.
function Issuers({ keep }: { keep: boolean }) {
  const [list, setList] = useState<Issuer[]>([]);
  const [error, setError] = useState<ApiError | null>(null);

  useEffect(() => void issuers().then(setList, () => {}), []);
  const go = (to: Issuer) => void leave(to, keep).catch((failure) => setError(new ApiError(0, String(failure))));
  return (
    <>
      {list.map((one) => (
        <button type="button" key={one.issuer} onClick={() => go(one)}>
          {words.signIn.with(nameOf(one))}
        </button>
      ))}
      {error && <Refused error={error} />}
    </>
  );
}
