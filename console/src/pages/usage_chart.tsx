// Bars of days, each in parts. The table behind it says the same to those who don't see it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { axisTop, type Part } from './usage_sums';

const HEIGHT = 240,
  TOP = 10,
  BOTTOM = 24,
  LINES = 4,
  LABEL = 96; // pixels for the name of a day

export interface ChartProps {
  label: string; // for a reader: what it shows, in a sentence
  days: string[];
  parts: Part[];
  nameOf: (part: Part) => string;
  format: (value: number) => string;
  dayFormat: (day: string) => string;
}

export function UsageChart({ label, days, parts, nameOf, format, dayFormat }: ChartProps) {
  const chart = useRef<SVGSVGElement>(null);
  const width = useWidth(chart);
  const sums = days.map((_, i) => parts.reduce((all, part) => all + part.values[i]!, 0));
  const top = axisTop(Math.max(0, ...sums));
  const marks = Array.from({ length: LINES + 1 }, (_, i) => (top * i) / LINES);
  const left = 12 + 7 * Math.max(...marks.map((mark) => format(mark).length));
  const step = (width - left) / days.length;
  const gap = step > 6 ? Math.min(step * 0.25, 8) : step * 0.1;
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const each = Math.max(1, Math.ceil((days.length * LABEL) / (width - left))); // labels, which must not touch
  return (
    <svg ref={chart} class="chart" role="img" aria-label={label} viewBox={`0 0 ${width} ${HEIGHT}`}>
      {marks.map((mark) => (
        <g key={mark}>
          <line class="chart-line" x1={left} x2={width} y1={y(mark)} y2={y(mark)} />
          <text class="chart-text" x={left - 6} y={y(mark) + 4} text-anchor="end">
            {format(mark)}
          </text>
        </g>
      ))}
      {days.map((day, i) => {
        let base = 0;
        return (
          <g key={day} class="chart-day">
            <title>
              {[
                `${dayFormat(day)}: ${format(sums[i]!)}`,
                ...parts
                  .filter((part) => part.values[i]! > 0)
                  .map((part) => `${nameOf(part)}: ${format(part.values[i]!)}`),
              ].join('\n')}
            </title>
            <rect class="chart-hover" x={left + i * step} y={TOP} width={step} height={HEIGHT - TOP - BOTTOM} />
            {parts.map((part, place) => {
              const value = part.values[i]!;
              if (value <= 0) return null;
              const from = y(base),
                to = y((base += value));
              return (
                <rect
                  key={place}
                  class={`chart-bar ${colour(part, place)}`}
                  x={left + i * step + gap / 2}
                  width={Math.max(step - gap, 0.5)}
                  y={to}
                  height={Math.max(from - to, 0.5)}
                />
              );
            })}
            {i % each === 0 && (
              <text
                class="chart-text"
                x={left + i * step + step / 2}
                y={HEIGHT - 8}
                text-anchor={i === 0 ? 'start' : 'middle'}
              >
                {dayFormat(day)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
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

// The class of a part, by its place: the chart's and the table's marks have the same colour. */
export function colour(part: Part, place: number): string {
  return part.name === null ? 'part-rest' : `part-${place}`;
}
