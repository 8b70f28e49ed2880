// A request of this page as a program. The key stands in the environment, never in the text.
import { base } from '../api';

export type Language = 'curl' | 'python' | 'node';

export function snippet(language: Language, body: unknown): string {
  const url = new URL('v1/chat', base).href;
  const json = JSON.stringify(body, null, 2);
  return { curl: curl(url, json), python: python(url, json), node: node(url, json) }[language];
}

const curl = (url: string, json: string): string =>
  `curl ${url} \\
  -H "Authorization: Bearer $PARLEY_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${json.replaceAll("'", "'\\''")}'
`;

// JSON in a raw string: Python reads it as it is, whatever its values are.
const python = (url: string, json: string): string =>
  `import json
import os
import urllib.request

body = json.loads(${pythonString(json)})
request = urllib.request.Request(
    "${url}",
    data=json.dumps(body).encode(),
    headers={
        "Authorization": "Bearer " + os.environ.get("PARLEY_API_KEY", ""),
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["choices"][0]["message"]["content"])
`;

function pythonString(json: string): string {
  return json.includes("'''") || json.endsWith("'") ? JSON.stringify(json) : `r'''${json}'''`;
}

const node = (url: string, json: string): string =>
  `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.PARLEY_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),
});
const answer = await response.json();
console.log(answer.choices[0].message.content);
`;
