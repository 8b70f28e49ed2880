// The picker of a model: a search field that is a combobox with a grid below it (ARIA's pattern), since each row has a
// second cell, which makes the model a favourite. Arrows move, Enter chooses, Tab leads to the row's star.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { compact, money } from '../parts/format';
import { Icon } from '../parts/icon';
import { HealthBadge } from '../parts/health_badge';
import { Loading } from '../parts/state';
import { prefer, preferences } from '../preferences';
import { fill, words } from '../words';
import { catalog, readModels, type Model } from './models';

interface PickerProps {
  value: string;
  choose: (model: string) => void;
}

interface Group {
  title: string;
  models: Model[];
}

export default function ModelPicker({ value, choose }: PickerProps) {
  const [find, setFind] = useState('');
  const [at, setAt] = useState<string | null>(null);
  const id = useId();
  const grid = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const fine = matchMedia('(pointer: fine)').matches; // a phone's keyboard would cover the rows
  useEffect(() => {
    void readModels().catch(() => {}); // health changes; without news, what is known stays
  }, []);
  useLayoutEffect(() => {
    if (fine) input.current?.focus(); // where the dialog is shown already; else it looks for autofocus
  }, []);

  const found = groupsOf(catalog.value ?? [], find, preferences.value.favourites);
  const rows = found.flatMap((group) => group.models.map((model) => ({ model, key: `${group.title} ${model.id}` })));
  const wanted = rows.findIndex((row) => row.key === at);
  const start = find ? 0 : Math.max(0, rows.findIndex((row) => row.model.id === value));
  const active = rows.length === 0 ? -1 : wanted >= 0 ? wanted : start;
  const typed = find.trim();

  useEffect(() => {
    grid.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' });
  }, [active, find, rows.length]);

  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      if (rows[active]) choose(rows[active].model.id);
      else if (typed) choose(typed);
    } else if (event.key in steps && rows.length > 0) {
      event.preventDefault();
      setAt(rows[Math.min(rows.length - 1, Math.max(0, active + steps[event.key]))].key);
    }
  };

  let place = -1;
  return (
    <div class="picker">
      <input
        ref={input}
        autofocus={fine}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-label={words.models.search}
        placeholder={words.models.search}
        aria-haspopup="grid"
        aria-expanded={rows.length > 0}
        aria-controls={`${id}-grid`}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        value={find}
        onInput={(event) => {
          setFind(event.currentTarget.value);
          setAt(null);
        }}
        onKeyDown={onKeyDown}
      />
      {catalog.value === null && <Loading />}
      <div class="picker-rows" role="grid" id={`${id}-grid`} aria-label={words.chat.model} ref={grid} tabIndex={-1}>
        {found.map((group) => (
          <div role="rowgroup" aria-label={group.title} key={group.title}>
            <p class="fine" aria-hidden="true" dir="auto">
              {group.title}
            </p>
            {group.models.map((model) => {
              place += 1;
              return (
                <Row
                  key={model.id}
                  id={`${id}-${place}`}
                  model={model}
                  active={place === active}
                  chosen={model.id === value}
                  choose={() => choose(model.id)}
                />
              );
            })}
          </div>
        ))}
      </div>
      {catalog.value !== null && rows.length === 0 && (
        <p role="status">
          {words.models.notFound}{' '}
          {typed && (
            <button type="button" onClick={() => choose(typed)}>
              {fill(words.models.ask, { model: typed })}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

interface RowProps {
  id: string;
  model: Model;
  active: boolean;
  chosen: boolean;
  choose: () => void;
}

function Row({ id, model, active, chosen, choose }: RowProps) {
  const liked = preferences.value.favourites.includes(model.id);
  const star = fill(liked ? words.models.unlike : words.models.like, { model: model.id });
  return (
    <div role="row" class="picker-row" data-active={active || undefined} aria-selected={chosen}>
      <div role="gridcell" id={id} onClick={choose}>
        <strong dir="auto">{model.id}</strong>
        <span class="fine">
          {model.default && <span class="badge">{words.models.default}</span>}
          {factsOf(model).join(' · ')}
        </span>
        {model.health !== 'fine' && <HealthBadge of={model.health} />}
      </div>
      <div role="gridcell">
        <button
          type="button"
          class="bare star"
          tabIndex={active ? 0 : -1}
          aria-pressed={liked}
          aria-label={star}
          title={star}
          onClick={() => like(model.id, !liked)}
        >
          <Icon name="star" />
        </button>
      </div>
    </div>
  );
}

function like(model: string, liked: boolean): void {
  const others = preferences.value.favourites.filter((one) => one !== model);
  prefer({ favourites: liked ? [...others, model] : others });
}

// factsOf: what one chooses a model by.
export function factsOf(model: Model): string[] {
  return [
    model.price && fill(words.models.priceText, { input: money(model.price.input), output: money(model.price.output) }),
    model.context_window && fill(words.models.context, { n: compact(model.context_window) }),
    ...model.capabilities.map((one) => words.models.capabilities[one]),
    model.health === 'fine' && words.models.health.fine,
  ].filter((fact): fact is string => Boolean(fact));
}

// rankOf: how well a model fits what was typed: by its name, by the name's last part, by how they begin, by what is in
// the name, by its facts. 5: some word is nowhere.
function rankOf(model: Model, find: string): number {
  const typed = find.trim().toLowerCase();
  const name = model.id.toLowerCase();
  const last = name.slice(name.lastIndexOf('/') + 1);
  const words_ = typed.split(/\s+/);
  if (name === typed) return 0;
  if (last === typed) return 1;
  if (name.startsWith(typed) || last.startsWith(typed)) return 2;
  if (words_.every((word) => name.includes(word))) return 3;
  const text = `${name} ${model.owned_by} ${factsOf(model).join(' ')}`.toLowerCase();
  return words_.every((word) => text.includes(word)) ? 4 : 5;
}

// groupsOf: the favourites, then the models of each provider, in the gateway's order; where something was typed, what
// fits it best comes first, and its group. All words have to be found.
export function groupsOf(models: Model[], find: string, favourites: string[]): Group[] {
  const ranks = new Map(models.map((model) => [model, rankOf(model, find)]));
  const rank = (model: Model) => ranks.get(model)!;
  const found = models
    .filter((model) => model.kind !== 'embedding' && rank(model) < 5)
    .sort((a, b) => rank(a) - rank(b)); // stable
  const groups = new Map<string, Model[]>();
  for (const model of found) groups.set(model.owned_by, [...(groups.get(model.owned_by) ?? []), model]);
  const liked = found.filter((model) => favourites.includes(model.id));
  return [
    ...(liked.length ? [{ title: words.models.favourites, models: liked }] : []),
    ...[...groups].map(([title, of]) => ({ title, models: of })),
  ].sort((a, b) => rank(a.models[0]) - rank(b.models[0]));
}
