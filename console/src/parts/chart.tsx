// Bars or lines over time. The table beside a chart says the same to those who don't see it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const TOP = 10,
  BOTTOM = 24,
  LINES = 4,
  LABEL = 96, // pixels for the name of a place
  STEPS = [1, 2, 3, 4, 6, 8, 12, 24, 30, 60]; // so that hours are those of a clock's face

export interface Series {
  name: string;
  tone: string; // the class that gives the colour
  values: (number | null)[]; // one for each place; null: nothing is known
}

export interface ChartProps {
  kind: 'bars' | 'lines';
  label: string; // for a reader: what it shows, in a sentence
  places: string[]; // their names, on hover
  tick: (place: number) => string | null; // what stands below a place
  series: Series[];
  format: (value: number) => string;
  height?: number;
  sums?: boolean; // whether the sum of a place is worth a line of its own
  onPick?: (place: number) => void; // with the mouse; the table has links
}

export function Chart({ kind, label, places, tick, series, format, height = 240, sums, onPick }: ChartProps) {
  const chart = useRef<SVGSVGElement>(null);
  const width = useWidth(chart);
  const known = (i: number) => series.map((one) => one.values[i] ?? 0);
  const total = (i: number) => known(i).reduce((a, b) => a + b, 0);
  const top = axisTop(Math.max(0, ...places.map((_, i) => (kind === 'bars' ? total(i) : Math.max(...known(i))))));
  const marks = Array.from({ length: LINES + 1 }, (_, i) => (top * i) / LINES);
  const left = 12 + 7 * Math.max(...marks.map((mark) => format(mark).length));
  const step = (width - left) / places.length;
  const y = (value: number) => TOP + (height - TOP - BOTTOM) * (1 - value / top);
  const middle = (i: number) => left + (i + 0.5) * step;
  return (
    <svg ref={chart} class="chart" role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} height={height}>
      {marks.map((mark) => (
        <g key={mark}>
          <line class="chart-line" x1={left} x2={width} y1={y(mark)} y2={y(mark)} />
          <text class="chart-text" x={left - 6} y={y(mark) + 4} text-anchor="end">
            {format(mark)}
          </text>
        </g>
      ))}
      {kind === 'lines' && series.map((one) => <Line key={one.name} of={one} x={middle} y={y} />)}
      {places.map((place, i) => (
        <g key={i} class={`chart-place ${onPick ? 'picked' : ''}`} onClick={onPick && (() => onPick(i))}>
          <title>
            {[
              sums ? `${place}: ${format(total(i))}` : place,
              ...series
                .filter((one) => (kind === 'bars' ? one.values[i]! > 0 : one.values[i] !== null))
                .map((one) => `${one.name}: ${format(one.values[i]!)}`),
            ].join('\n')}
          </title>
          <rect class="chart-hover" x={left + i * step} y={TOP} width={step} height={height - TOP - BOTTOM} />
          {kind === 'bars' && <Bar of={series} place={i} from={left + i * step} step={step} y={y} />}
        </g>
      ))}
      {ticks(places.length, tick, width - left).map(({ i, text }) => (
        <text
          key={i}
          class="chart-text"
          x={Math.max(left, middle(i))}
          y={height - 8}
          text-anchor={middle(i) - left < LABEL / 3 ? 'start' : width - middle(i) < LABEL / 3 ? 'end' : 'middle'}
        >
          {text}
        </text>
      ))}
    </svg>
  );
}

interface BarProps {
  of: Series[];
  place: number;
  from: number;
  step: number;
  y: (value: number) => number;
}

function Bar({ of, place, from, step, y }: BarProps) {
  const gap = step > 6 ? Math.min(step * 0.25, 8) : step * 0.1;
  let base = 0;
  return (
    <>
      {of.map((one) => {
        const value = one.values[place] ?? 0;
        if (value <= 0) return null;
        const bottom = y(base),
          top = y((base += value));
        return (
          <rect
            key={one.name}
            class={`chart-bar ${one.tone}`}
            x={from + gap / 2}
            width={Math.max(step - gap, 0.5)}
            y={top}
            height={Math.max(bottom - top, 0.5)}
          />
        );
      })}
    </>
  );
}

// A line has gaps where nothing is known, and a dot for what stands alone.
function Line({ of, x, y }: { of: Series; x: (place: number) => number; y: (value: number) => number }) {
  const path: string[] = [];
  const dots: { at: number; value: number }[] = [];
  of.values.forEach((value, i) => {
    if (value === null) return;
    const before = i > 0 && of.values[i - 1] !== null,
      after = (of.values[i + 1] ?? null) !== null;
    if (!before && !after) dots.push({ at: i, value });
    path.push(`${before ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`);
  });
  return (
    <g class={of.tone}>
      <path class="chart-path" d={path.join('')} />
      {dots.map(({ at, value }) => (
        <circle key={at} class="chart-dot" cx={x(at)} cy={y(value)} r={2.5} />
      ))}
    </g>
  );
}

// Names of places must not touch.
function ticks(places: number, tick: (place: number) => string | null, width: number): { i: number; text: string }[] {
  const all = Array.from({ length: places }, (_, i) => ({ i, text: tick(i) })).filter(
    (one): one is { i: number; text: string } => one.text !== null,
  );
  const least = Math.ceil((all.length * LABEL) / width);
  const each = STEPS.find((step) => step >= least) ?? least;
  return all.filter((_, i) => i % each === 0);
}

// A pixel is a pixel on every screen, so that texts keep their size.
function useWidth(of: { current: Element | null }): number {
  const [width, setWidth] = useState(720);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(240, entry!.contentRect.width)));
    observer.observe(of.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

export function Legend({ of }: { of: Pick<Series, 'name' | 'tone'>[] }) {
  return (
    <ul class="legend">
      {of.map(({ name, tone }) => (
        <li key={name}>
          <span class={`swatch ${tone}`} />
          {name}
        </li>
      ))}
    </ul>
  );
}

// The top of the axis, not below the largest value: what its four parts have few digits of.
export function axisTop(largest: number): number {
  if (largest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  for (const times of [1, 1.2, 1.6, 2, 2.4, 3, 4, 6, 8]) if (times * power >= largest) return times * power;
  return 10 * power;
}
