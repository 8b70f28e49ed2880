// The filters of the runs. All of them stand in the address, so that a link shows the same list.
import { get, query, type List } from '../api';
import { asApiError } from '../parts/list';
import { go } from '../router';
import { fromInput, localInput, RANGES, type RangeName } from '../parts/range';
import { admin } from '../session';
import { words } from '../words';
import { filtered, keyOf, type Filters, type Question, type Run, type Word } from './runs_model';

interface RunFiltersProps {
  of: Question;
  seen: Run[]; // what is in the list gives proposals
  onChange: (to: Partial<Question>) => void;
}

const WORDS: Word[] = ['running', 'completed', 'failed', 'refused', 'cancelled', 'client_left'];
const none = { name: '', from: null, to: null } as const;
const RUN_ID = /^run_[0-9a-f]{32}$/;
const REQUEST_ID = /^req_[0-9a-f]{32}$/;
const RUN = /\brun\b\W+(run_[0-9a-f]{32})/; // in a line of the log, as text or JSON

export function RunFilters({ of, seen, onChange }: RunFiltersProps) {
  const further = [of.provider, of.key, of.group, of.error, of.stored, of.slow].some((value) => value !== '');
  const names = (value: (run: Run) => string | null | undefined) =>
    [...new Set(seen.map(value))].filter((name): name is string => !!name);
  return (
    <search class="run-filters">
      <div class="filter-row">
        {admin.value && (
          <label>
            {words.runs.whose}
            <select value={of.all ? 'all' : 'own'} onChange={(event) => onChange({ all: event.currentTarget.value === 'all' })}>
              <option value="all">{words.runs.all}</option>
              <option value="own">{words.runs.own}</option>
            </select>
          </label>
        )}
        <RangeChoice of={of} onChange={onChange} />
        <label>
          {words.runs.status}
          <select value={of.status} onChange={(event) => onChange({ status: event.currentTarget.value })}>
            <option value="">{words.runs.any}</option>
            {WORDS.map((name) => (
              <option key={name} value={name}>
                {words.runs.words[name]}
              </option>
            ))}
          </select>
        </label>
        <Text name="model" of={of} onChange={onChange} proposals={names((run) => run.model)} />
        <OpenRun />
      </div>
      <details open={further}>
        <summary>{words.runs.moreFilters}</summary>
        <div class="filter-row">
          <Text name="provider" of={of} onChange={onChange} proposals={names((run) => run.provider)} />
          <Text name="key" of={of} onChange={onChange} proposals={names((run) => keyOf(run)?.id)} />
          {of.all && <Text name="group" of={of} onChange={onChange} proposals={names((run) => run.group)} />}
          <Text name="error" of={of} onChange={onChange} proposals={names((run) => run.error?.code)} />
          <label>
            {words.runs.kept}
            <select value={of.stored} onChange={(event) => onChange({ stored: event.currentTarget.value })}>
              <option value="">{words.runs.any}</option>
              <option value="1">{words.runs.stored}</option>
              <option value="0">{words.runs.notStored}</option>
            </select>
          </label>
          <label>
            {words.runs.slow}
            <input
              type="number"
              min={0}
              step={100}
              value={of.slow}
              onChange={(event) => onChange({ slow: event.currentTarget.value.replace(/\D/g, '') })}
            />
          </label>
        </div>
      </details>
      {filtered(of) && (
        <button type="button" class="bare link" onClick={() => onChange(nothing)}>
          {words.runs.clear}
        </button>
      )}
    </search>
  );
}

// OpenRun: by its id; for administrators also by that of its request, as long as the log has the call.
function OpenRun() {
  const open = async (input: HTMLInputElement) => {
    const id = input.value.trim();
    if (RUN_ID.test(id)) return go('runs', id);
    const told = id && (await lookUp(id));
    if (told && RUN_ID.test(told)) return go('runs', told);
    if (input.value.trim() !== id) return; // it was changed meanwhile
    input.setCustomValidity(told);
    input.reportValidity();
  };
  return (
    <label>
      {words.runs.id}
      <input
        type="search"
        placeholder={admin.value ? words.runs.idHintAdmin : words.runs.idHint}
        spellcheck={false}
        onInput={(event) => event.currentTarget.setCustomValidity('')}
        onChange={(event) => void open(event.currentTarget)}
      />
    </label>
  );
}

// lookUp: the run of a request, or why it is not found.
async function lookUp(id: string): Promise<string> {
  if (!admin.value) return words.runs.idWrong;
  if (!REQUEST_ID.test(id)) return words.runs.idWrongAdmin;
  try {
    const { data } = await get<List<{ text: string }>>(`/v1/admin/log${query({ request_id: id })}`);
    return data.map(({ text }) => RUN.exec(text)?.[1]).find(Boolean) ?? words.runs.idLost;
  } catch (error) {
    return asApiError(error).status === 0 ? words.state.offline : words.state.refused;
  }
}

const nothing: Partial<Question> = {
  status: '',
  model: '',
  provider: '',
  key: '',
  group: '',
  error: '',
  stored: '',
  slow: '',
  range: none,
};

interface TextProps {
  name: keyof Filters & ('model' | 'provider' | 'key' | 'group' | 'error');
  of: Question;
  onChange: (to: Partial<Question>) => void;
  proposals: string[];
}

function Text({ name, of, onChange, proposals }: TextProps) {
  const list = `${name}-seen`;
  return (
    <label>
      {words.runs[name]}
      <input
        type="search"
        list={list}
        placeholder={words.runs.any}
        value={of[name]}
        onChange={(event) => onChange({ [name]: event.currentTarget.value.trim() })}
      />
      <datalist id={list}>
        {proposals.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </label>
  );
}

function RangeChoice({ of: { range }, onChange }: Pick<RunFiltersProps, 'of' | 'onChange'>) {
  const own = range.name === '' && (range.from !== null || range.to !== null);
  const choose = (value: string) => {
    if (value === 'own') onChange({ range: { name: '', from: Math.floor(Date.now() / 1000) - RANGES['24h'], to: null } });
    else onChange({ range: { ...none, name: value as RangeName | '' } });
  };
  return (
    <>
      <label>
        {words.range.title}
        <select value={own ? 'own' : range.name} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">{words.range.any}</option>
          {(Object.keys(RANGES) as RangeName[]).map((name) => (
            <option key={name} value={name}>
              {words.range.last[name]}
            </option>
          ))}
          <option value="own">{words.range.own}</option>
        </select>
      </label>
      {own &&
        (['from', 'to'] as const).map((end) => (
          <label key={end}>
            {words.range[end]}
            <input
              type="datetime-local"
              value={localInput(range[end])}
              onChange={(event) => onChange({ range: { ...range, [end]: fromInput(event.currentTarget.value) } })}
            />
          </label>
        ))}
    </>
  );
}
