export function RunStream(_: { run: string; going: boolean; onEnd: () => void }) {
  return null;
}
