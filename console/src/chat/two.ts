// Two answers to one message, by two models. They grow beside each other, each on a branch of its own.
import { signal, type Signal } from '@preact/signals';
import { ApiError, call, isAbort } from '../api';
import type { Activity } from './chat';
import { grow, type Place } from './grow';
import type { Source } from './live';
import type { Run, Turn } from './store';

export class Half implements Place {
  readonly activity = signal<Activity>('sending');
  readonly drawn = new Map<string, () => void>();
  readonly error = signal<ApiError | null>(null);
  stopped = false; // by who reads
  private readonly abort = new AbortController();

  constructor(
    readonly turn: Turn,
    readonly runs: Signal<Map<string, Run>>,
  ) {}

  get busy(): boolean {
    return this.activity.value !== 'idle';
  }

  get run(): Run | undefined {
    return this.runs.value.get(this.turn.run ?? '');
  }

  // Whether there is something that a conversation can go on with.
  get answered(): boolean {
    return !this.error.value && this.turn.run !== null && this.turn.segments.some(({ type }) => type !== 'error');
  }

  async answer(source: Source): Promise<void> {
    try {
      if (this.stopped) this.leave();
      const end = await grow(source, this.turn, undefined, this, this.abort.signal, () => {});
      if (end.kind === 'refused') this.error.value = end.error;
    } catch (error) {
      if (!isAbort(error)) this.error.value = error instanceof ApiError ? error : new ApiError(0, String(error));
    }
    this.activity.value = 'idle';
  }

  // leave: the answer is not looked at any more; the gateway goes on with it.
  leave(): void {
    this.abort.abort();
  }

  // stop: before its run is known, it is stopped as soon as that is.
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.busy && this.turn.run) await call(`/v1/runs/${this.turn.run}/cancel`, { method: 'POST' });
  }
}
