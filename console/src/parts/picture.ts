// Images among the files of the gateway, which the page shows as blobs.

// The first bytes decide what a file is, as they do for the models.
const kinds: [string, number[]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
];

// picture: the file as an image of its type; null: it is none.
export async function picture(blob: Blob): Promise<Blob | null> {
  const head = new Uint8Array(await blob.slice(0, 12).arrayBuffer());
  const ascii = String.fromCharCode(...head);
  const type =
    ascii.startsWith('RIFF') && ascii.endsWith('WEBP')
      ? 'image/webp'
      : kinds.find(([, magic]) => magic.every((byte, i) => head[i] === byte))?.[0];
  return type ? new Blob([blob], { type }) : null;
}
