// The stream of a run once more; live, if the run goes on. The chat's reader follows it, through cuts too.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, isAbort } from '../api';
import { follow, pause, type End } from '../chat/live';
import { Growing, type Chunk, type Lmc } from '../chat/segments';
import { SegmentsView } from '../chat/segments_view';
import { drawNever, drawSoon } from '../draw/frames';
import { announce } from '../parts/announce';
import { Refused } from '../parts/state';
import { words } from '../words';

interface RunStreamProps {
  run: string;
  going: boolean;
  onEnd: () => void; // a run that went on has ended
}

const world = { call, pause, random: Math.random };

export function RunStream({ run, going, onEnd }: RunStreamProps) {
  const root = useRef<HTMLDivElement>(null);
  const [end, setEnd] = useState<End | null>(null);
  const [cut, setCut] = useState(false);
  const [empty, setEmpty] = useState(true);
  const was = useRef({ going, onEnd });
  was.current.onEnd = onEnd;

  useEffect(() => {
    const abort = new AbortController();
    const growing = new Growing();
    const view = new SegmentsView(root.current!);
    let whole = false;
    const drawer = (until: number) => view.draw(growing.segments, whole, until);
    const sink = {
      began: () => {},
      block: ({ event, data }: { event?: string; data: string }) => {
        if (event || data === '[DONE]') return; // what went wrong, the run says above
        growing.add(JSON.parse(data) as Chunk | Lmc);
        setEmpty(growing.segments.length === 0);
        drawSoon(drawer);
      },
      cut: () => setCut(true),
      back: () => setCut(false),
    };
    follow({ run }, sink, abort.signal, world).then(
      (how) => {
        whole = true;
        drawSoon(drawer);
        setCut(false);
        setEnd(how);
        if (!was.current.going) return;
        announce(words.runs.ended);
        was.current.onEnd();
      },
      (error) => {
        if (!isAbort(error)) throw error;
      },
    );
    return () => {
      abort.abort();
      drawNever(drawer);
    };
  }, [run]);

  return (
    <section class="card stack" aria-label={words.runs.stream} aria-busy={end === null}>
      <h2>{words.runs.stream}</h2>
      {end?.kind === 'gone' ? (
        <p class="fine">{words.runs.streamGone}</p>
      ) : (
        <p class="fine">{end === null && going ? words.runs.streamLive : words.runs.streamText}</p>
      )}
      <div class="content" ref={root} />
      {cut && <p class="fine waiting">{words.runs.connecting}</p>}
      {end?.kind === 'refused' && <Refused error={end.error} />}
      {end && end.kind !== 'gone' && end.kind !== 'refused' && empty && <p class="fine">{words.runs.streamEmpty}</p>}
    </section>
  );
}
