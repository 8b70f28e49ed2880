// The form for a key. A password manager keeps the key, the console does not.
import { useState } from 'preact/hooks';
import { ApiError } from './api';
import { Refused } from './parts/state';
import { signIn } from './session';
import { words } from './words';

export function SignIn() {
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);

  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn(key.trim());
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)));
      setBusy(false);
    }
  };

  return (
    <main id="main" class="sign-in" tabIndex={-1}>
      <form onSubmit={submit}>
        <p class="brand">{words.product}</p>
        <h1>{words.signIn.title}</h1>
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
        {error && <Refused error={error} />}
        <button class="primary" disabled={busy}>
          {busy ? words.signIn.busy : words.signIn.submit}
        </button>
        <p class="fine">{words.signIn.note}</p>
      </form>
    </main>
  );
}
