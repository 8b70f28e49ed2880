// The first steps: of a gateway without keys. Three cards.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get } from '../api';
import { readModels, models } from '../chat/models';
import { sayAnew } from '../chat/prepared';
import { Copy } from '../parts/copy';
import { Icon, type IconName } from '../parts/icon';
import { Refused } from '../parts/state';
import { prefer, preferences } from '../preferences';
import { go } from '../router';
import { signIn } from '../session';
import { commandsOf, providerNames, yamlOf, type ProviderName } from './start_yaml';
import { fill, words } from '../words';

export default function Start() {
  const away = () => {
    prefer({ begun: true });
    go('chat');
  };
  return (
    <div class="start">
      <header class="stack">
        <h1>{words.start.title}</h1>
        <p>{words.start.text}</p>
      </header>
      <div class="cards">
        <Say />
        <Provider />
        <FirstKey />
      </div>
      {!preferences.value.begun && (
        <p class="row wrap fine">
          <button type="button" onClick={away}>
            {words.start.away}
          </button>
          {words.start.awayText}
        </p>
      )}
    </div>
  );
}

function Card({ icon, title, text, children }: { icon: IconName; title: string; text: string; children: ComponentChildren }) {
  return (
    <section class="card stack">
      <h2 class="row">
        <Icon name={icon} />
        {title}
      </h2>
      <p>{text}</p>
      {children}
    </section>
  );
}

function Say() {
  const [text, setText] = useState(words.start.sayHello);
  useEffect(() => {
    readModels().catch(() => {}); // the chat says what is wrong
  }, []);
  return (
    <Card icon="chat" title={words.start.say} text={words.start.sayText}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          sayAnew(text);
        }}
      >
        <label>
          {words.chat.message}
          <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button class="primary" disabled={!text.trim()}>
          <Icon name="send" />
          {fill(words.start.saySend, { model: models.value?.[0] ?? 'echo' })}
        </button>
      </form>
    </Card>
  );
}

function Provider() {
  const [name, setName] = useState<ProviderName>('openai');
  return (
    <Card icon="model" title={words.start.provider} text={words.start.providerText}>
      <label>
        {words.start.providerName}
        <select value={name} onChange={(event) => setName(event.currentTarget.value as ProviderName)}>
          {providerNames.map((one) => (
            <option key={one} value={one}>
              {words.start.providers[one]}
            </option>
          ))}
        </select>
      </label>
      <Program title={words.start.copyYaml} text={yamlOf(name)} />
      <Program title={words.start.check} text={commandsOf(name)} />
    </Card>
  );
}

function Program({ title, text }: { title: string; text: string }) {
  return (
    <div class="stack tight">
      <div class="row between fine">
        {title}
        <Copy bare text={text} label={title} />
      </div>
      <pre class="snippet" tabIndex={0} role="group" aria-label={title}>
        {text}
      </pre>
    </div>
  );
}

// The first key of all may be made without one, where this address serves the administration.
function FirstKey() {
  const [name, setName] = useState(words.start.keyDefault);
  const [made, setMade] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);

  const make = async (event: Event) => {
    event.preventDefault();
    setError(null);
    try {
      const body = { name, scopes: ['chat', 'read', 'files', 'admin'] };
      setMade((await get<{ key: string }>('/v1/admin/keys', { body })).key);
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)));
    }
  };

  return (
    <Card icon="key" title={words.start.key} text={words.start.keyText}>
      {made ? (
        <Made text={made} />
      ) : error?.status === 404 ? (
        <>
          <p>{words.start.keyElsewhere}</p>
          <Program title={words.start.key} text={`parley keys create --name ${name} --scopes chat,read,files,admin`} />
        </>
      ) : (
        <form class="stack" onSubmit={make}>
          <label>
            {words.start.keyName}
            <input required maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <button>{words.start.keyMake}</button>
          {error && <Refused error={error} />}
        </form>
      )}
      <p class="fine">{words.start.keyStays}</p>
    </Card>
  );
}

function Made({ text }: { text: string }) {
  const [error, setError] = useState<ApiError | null>(null);
  const use = () => signIn(text).then(() => go('chat'), setError);
  return (
    <>
      <strong>{words.start.keyMade}</strong>
      <pre class="snippet secret" tabIndex={0} role="group" aria-label={words.signIn.key}>
        {text}
      </pre>
      <div class="row">
        <Copy text={text} />
        <button type="button" class="primary" onClick={() => void use()}>
          {words.start.keyUse}
        </button>
      </div>
      {error && <Refused error={error} />}
    </>
  );
}
