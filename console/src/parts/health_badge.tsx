// How a target is doing, in a word.
import type { Health } from '../pages/overview';
import { words } from '../words';
import { Time } from './time';

export function HealthBadge({ of, until }: { of: Health; until?: number | null }) {
  const kind = of === 'fine' ? 'good' : of === 'probe' ? '' : 'bad';
  return (
    <>
      <span class={`badge ${kind}`} title={words.models.healthTexts[of]}>
        {words.models.health[of]}
      </span>
      {until && (
        <p class="fine">
          {words.models.until} <Time at={until} />
        </p>
      )}
    </>
  );
}
