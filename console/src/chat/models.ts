// The models that this key may ask: read once, when a page needs them first.
import { signal } from '@preact/signals';
import { get, type List } from '../api';

export const models = signal<string[] | null>(null);

export async function readModels(signal?: AbortSignal): Promise<string[]> {
  models.value = (await get<List<{ id: string }>>('/v1/models', { signal })).data.map((model) => model.id);
  return models.value;
}
