// What a call can be told beside the message.
export interface Options {
  model: string; // empty: the one that the conversation had last, or that was chosen last
  second: string; // a model that answers the next message, too; empty: none
  instruction: string;
  temperature: string;
  max_tokens: string;
  tools: string; // JSON
  store: boolean;
  lmc: boolean;
  computer: boolean; // the assistant's code runs there, after a question
}

export const defaults: Options = {
  model: '',
  second: '',
  instruction: '',
  temperature: '',
  max_tokens: '',
  tools: '',
  store: true,
  lmc: false,
  computer: false,
};

export const formatOf = (options: Options): string => (options.lmc || options.computer ? 'lmc' : 'openai');

export function configOf(options: Options): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  if (options.model) config.model = options.model;
  if (options.temperature) config.temperature = Number(options.temperature);
  if (options.max_tokens) config.max_tokens = Number(options.max_tokens);
  if (options.computer) config.computer = {};
  if (options.tools.trim()) config.tools = JSON.parse(options.tools);
  return config;
}
