// Configurations to begin with, one for each usual provider.
export type ProviderName = 'openai' | 'anthropic' | 'vllm' | 'ollama';

interface Example {
  key: string | null; // the environment's variable
  yaml: string;
}

const examples: Record<ProviderName, Example> = {
  openai: {
    key: 'OPENAI_API_KEY',
    yaml: `default_model: gpt-4o-mini
providers:
  - name: openai
    dialect: openai
    base_url: https://api.openai.com/v1
    api_key_env: OPENAI_API_KEY
    max_tokens_field: max_completion_tokens
models:
  - {name: "*", provider: openai}
`,
  },
  anthropic: {
    key: 'ANTHROPIC_API_KEY',
    yaml: `default_model: claude-sonnet-4-5
providers:
  - name: anthropic
    dialect: anthropic
    base_url: https://api.anthropic.com/v1
    api_key_env: ANTHROPIC_API_KEY
models:
  - {name: "*", provider: anthropic}
`,
  },
  vllm: {
    key: null,
    yaml: `providers:
  - name: local
    dialect: openai
    base_url: http://127.0.0.1:8000/v1
models:
  - {name: "*", provider: local}
`,
  },
  ollama: {
    key: null,
    yaml: `providers:
  - name: ollama
    dialect: ollama
    base_url: http://127.0.0.1:11434
    timeouts: {first_byte: 10m}
models:
  - {name: "*", provider: ollama}
`,
  },
};

export const providerNames = Object.keys(examples) as ProviderName[];

export const yamlOf = (name: ProviderName): string => examples[name].yaml;

export function commandsOf(name: ProviderName): string {
  const { key } = examples[name];
  const setting = key ? `export ${key}=...\n` : '';
  return `${setting}parley --check-config --config parley.yaml\nparley serve --config parley.yaml`;
}
