// The models that this key may ask: read once, when a page needs them first.
import { computed, signal } from '@preact/signals';
import { get, type List } from '../api';
import type { Health } from '../pages/overview';

// A model as GET /v1/models tells of it.
export interface Model {
  id: string;
  owned_by: string;
  kind: 'chat' | 'embedding';
  default: boolean;
  price: { input: string; output: string } | null; // for a million tokens
  context_window: number | null;
  max_output: number | null;
  capabilities: ('images' | 'audio' | 'pdf' | 'reasoning' | 'tools')[];
  health: Health;
}

export const catalog = signal<Model[] | null>(null);

// The names of those that answer in words, the default first.
export const models = computed<string[] | null>(() => {
  const chat = catalog.value?.filter((model) => model.kind !== 'embedding');
  return chat ? [...chat].sort((a, b) => Number(b.default) - Number(a.default)).map((model) => model.id) : null;
});

export async function readModels(signal?: AbortSignal): Promise<Model[]> {
  catalog.value = (await get<List<Model>>('/v1/models', { signal })).data;
  return catalog.value;
}
