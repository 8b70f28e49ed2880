// A time of the gateway: in words, or as a clock says it, with the exact one on hover.
import { ago, clockWithMs, dayShort, iso, time } from './format';

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={iso(at)} title={time(at)}>
      {ago(at)}
    </time>
  );
}

// at: milliseconds since 1970.
export function Clock({ at }: { at: number }) {
  return (
    <time class="clock" dateTime={iso(at / 1000)}>
      {clockWithMs(at)} <span class="fine">{dayShort(at)}</span>
    </time>
  );
}
