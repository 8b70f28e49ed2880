// A time of the gateway: in words, with the exact one on hover.
import { ago, iso, time } from './format';

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={iso(at)} title={time(at)}>
      {ago(at)}
    </time>
  );
}
