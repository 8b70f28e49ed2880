// The health of a provider over 24 hours: a strip, and the same in words.
import { get } from '../api';
import { fill, words } from '../words';
import { clock, duration, number } from './format';
import { useLoad, type Load } from './load';

export type HealthState = 'fine' | 'cooling' | 'open' | 'dead_key';

export interface HealthInterval {
  from: number; // seconds since 1970
  to: number;
  state: HealthState;
}

export interface ProviderHealth {
  name: string;
  health: HealthState | 'probe';
  history: HealthInterval[];
}

export interface HealthHistory {
  from: number;
  to: number;
  data: ProviderHealth[];
}

// useHealth: GET /v1/admin/providers.
export function useHealth(on: readonly unknown[] = []): Load<HealthHistory> {
  return useLoad((signal) => get<HealthHistory>('/v1/admin/providers', { signal }), on);
}

const WIDTH = 288; // five minutes each
const ALL_OF_IT = 0.99; // the part of the time that may be called all of it
const LEAST = 1; // what was down for a moment is seen

// HealthStrip: shades and heights differ, so that no state is told by its colour alone.
export function HealthStrip({ of, from, to }: { of: HealthInterval[]; from: number; to: number }) {
  const at = (time: number) => (WIDTH * (Math.max(time, from) - from)) / (to - from);
  // the worst ones are drawn last, so that nothing covers them
  const drawn = [...of].sort((a, b) => Number(a.state !== 'fine') - Number(b.state !== 'fine'));
  return (
    <figure class="health-strip">
      <svg viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" role="img" aria-label={healthText(of, from, to)}>
        <rect class="unknown" x="0" y="8" width={WIDTH} height="4" />
        {drawn.map((one) => {
          const high = one.state === 'fine' ? 10 : 20;
          return (
            <rect
              key={one.from}
              class={one.state}
              x={at(one.from)}
              y={20 - high}
              width={Math.max(LEAST, at(one.to) - at(one.from))}
              height={high}
            >
              <title>
                {fill(words.health.interval, {
                  state: words.health.states[one.state],
                  from: clock(one.from),
                  to: clock(one.to),
                })}
              </title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="fine">{healthText(of, from, to)}</figcaption>
    </figure>
  );
}

// healthText: what the strip shows: how much of the known time was fine, and what else there was.
export function healthText(of: HealthInterval[], from: number, to: number): string {
  const sums = new Map<HealthState, number>();
  let known = 0;
  for (const one of of) {
    const time = Math.max(0, Math.min(one.to, to) - Math.max(one.from, from));
    sums.set(one.state, (sums.get(one.state) ?? 0) + time);
    known += time;
  }
  if (known === 0) return words.health.unknown;
  const bad = [...sums].filter(([state]) => state !== 'fine');
  const whole = known >= ALL_OF_IT * (to - from);
  const time = took(known);
  if (bad.length === 0) return whole ? words.health.allFine : fill(words.health.fineOf, { time });
  const share = (100 * (sums.get('fine') ?? 0)) / known;
  return fill(whole ? words.health.some : words.health.someOf, {
    time,
    share: number(Math.floor(share)),
    bad: bad
      .map(([state, time]) => fill(words.health.part, { state: words.health.states[state], time: took(time) }))
      .join(', '),
  });
}

function took(seconds: number): string {
  if (seconds < 120) return duration(1000 * seconds);
  if (seconds < 7200) return fill(words.health.minutes, { n: number(Math.round(seconds / 60)) });
  return fill(words.health.hours, { n: number(Math.round(seconds / 3600)) });
}
