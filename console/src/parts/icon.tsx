// Small drawings for buttons and the menu. They say nothing that the words beside them don't say.
const paths = {
  spark: 'M12 3v5m0 8v5M3 12h5m8 0h5M6 6l3 3m6 6l3 3m0-12l-3 3m-6 6l-3 3',
  chat: 'M4 5h16v11H9l-5 4z',
  list: 'M4 6h16M4 12h16M4 18h10',
  lines: 'M3 5h18v14H3zm4 4l3 3-3 3m6 0h4',
  pulse: 'M3 12h4l3-8 4 16 3-8h4',
  gauge: 'M4 18a9 9 0 1 1 16 0M12 15l4-5',
  bars: 'M5 20v-7m7 7V4m7 16v-11',
  file: 'M6 3h8l5 5v13H6zm8 0v5h5',
  key: 'M14 10a4 4 0 1 0-3 3.9L13 16h3v3h4v-3.5L13.7 11.3',
  people: 'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm-6 8a6 6 0 0 1 12 0zm13-8a2.500 2.500 0 1 0-1-4.800M17 14a5 5 0 0 1 4 5h-3',
  model: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zm0 9l8-4.5M12 12v9m0-9L4 7.5',
  gear: 'M4 7h9m5 0h2M4 17h3m5 0h8M13 5v4h5V5zM7 15v4h5v-4z',
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 13l4 4L19 7',
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M12 19V5m-6 6l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  again: 'M20 11a8 8 0 1 0-2 6m2-12v6h-6',
  edit: 'M4 20l1-5L16 4l4 4L9 19z',
  branch: 'M7 4v16M7 12h5a5 5 0 0 0 5-5V4',
  two: 'M4 5h7v14H4zm9 0h7v14h-7z',
  clip: 'M19 11l-8 8a4.5 4.5 0 0 1-6.400-6.400l8.500-8.500a3 3 0 0 1 4.300 4.300l-8.500 8.500a1.500 1.500 0 0 1-2.100-2.100l7.500-7.500',
  code: 'M8 7l-5 5 5 5m8-10l5 5-5 5',
  image: 'M4 5h16v14H4zm0 11l5-5 5 5m-1-2l3-3 4 4',
  trash: 'M5 7h14M9 7V4h6v3m2 0l-1 13H8L7 7',
  search: 'M16 16l5 5M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0z',
  theme: 'M12 3a9 9 0 1 0 0 18zm0 0a9 9 0 0 1 0 18',
  keyboard: 'M3 6h18v12H3zm4 4h.01M11 10h.01M15 10h.01M8 14h8',
  out: 'M14 4H5v16h9m-4-8h11m-4-4l4 4-4 4',
  star: 'M12 4l2.500 5.200 5.500.700-4 3.900 1 5.600-5-2.700-5 2.700 1-5.600-4-3.900 5.500-.700z',
  chevron: 'M6 9l6 6 6-6',
  save: 'M12 4v11m-5-5l5 5 5-5M5 20h14',
  down: 'M12 5v14m-6-6l6 6 6-6',
  pin: 'M9 4h6l-1 7 3 3v2H7v-2l3-3zm3 12v5',
  warn: 'M12 4l9 16H3zm0 6v4m0 3v.01',
};

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
