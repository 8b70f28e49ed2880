// The first steps: of a gateway without keys. Three cards.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { readModels, models } from '../chat/models';
import { sayAnew } from '../chat/prepared';
import { Icon, type IconName } from '../parts/icon';
import { Program } from '../parts/program';
import { prefer, preferences } from '../preferences';
import { go } from '../router';
import { open } from '../session';
import { FirstKey } from './keys_first';
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
        {open.value && <p>{words.start.text}</p>}
      </header>
      <div class="cards">
        <Say />
        <Provider />
        <FirstKey onDone={() => go('chat')} />
      </div>
      {open.value && !preferences.value.begun && (
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
