// Reads server-sent events from an answer, 16 KiB at a time, and gives way to the page after 8 ms.
import { createParser, type EventSourceMessage } from 'eventsource-parser';

const PIECE = 16384; // characters
const WORK = 8; // ms

export type Block = EventSourceMessage; // id, event, data

// readBlocks: every block in its order, until the body ends. Throws where the connection is cut.
export async function* readBlocks(answer: Response): AsyncGenerator<Block> {
  let blocks: Block[] = [];
  const parser = createParser({ onEvent: (block) => blocks.push(block) });
  const decoder = new TextDecoder();
  const reader = answer.body!.getReader();
  let begun = performance.now();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      for (let at = 0; at < text.length; at += PIECE) {
        parser.feed(text.slice(at, at + PIECE));
        yield* blocks;
        blocks = [];
        if (performance.now() - begun < WORK) continue;
        await giveWay();
        begun = performance.now();
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // a connection that was cut has nothing to cancel
  }
}

function giveWay(): Promise<void> {
  return new Promise((resume) => setTimeout(resume));
}
