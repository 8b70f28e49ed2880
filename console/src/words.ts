// All words of the console, in English. A page takes its words from here and has none of its own, so that
// another language is another table. {name} in a text is filled in by fill().
export const words = {
  product: 'Parley',
  pages: {
    start: 'Welcome',
    chat: 'Chat',
    conversations: 'Conversations',
    runs: 'Runs',
    usage: 'Usage',
    files: 'Files',
    keys: 'Keys',
    models: 'Models',
    settings: 'Settings',
  },
  frame: {
    skip: 'Skip to the page',
    menu: 'Menu',
    pages: 'Pages',
    admin: 'Administration',
    newChat: 'New chat',
    recent: 'Recent',
    signOut: 'Sign out',
    openGateway: 'No keys yet: open to this machine',
    theme: 'Colours',
    themes: { auto: 'As the system', light: 'Light', dark: 'Dark' },
    keyboard: 'Keyboard',
    offline: 'The gateway can’t be reached. What was read stays here; the page tries again by itself.',
    unknown: 'This page doesn’t exist',
    unknownText: 'The address leads nowhere, or your key may not open what is there.',
    home: 'To the first page',
  },
  signIn: {
    title: 'Sign in',
    text: 'A key of this gateway is your account.',
    key: 'Key',
    submit: 'Sign in',
    busy: 'Signing in …',
    refused: 'The gateway does not know this key.',
    note: 'The key is exchanged for a session of this tab. It is stored nowhere else.',
  },
  state: {
    loading: 'Loading …',
    empty: 'Nothing here yet',
    refused: 'The gateway refused this',
    offline: 'The gateway can’t be reached',
    retry: 'Try again',
    request: 'Request',
    more: 'Show more',
  },
  actions: {
    copy: 'Copy',
    copied: 'Copied',
    close: 'Close',
    cancel: 'Cancel',
    save: 'Save',
    delete: 'Delete',
    download: 'Download',
  },
  keyboard: {
    title: 'Keyboard',
    search: 'Search',
    new: 'New chat',
    send: 'Send the message',
    break: 'New line in the message',
    stop: 'Stop the answer',
    help: 'This list',
    letters: 'Single letters are shortcuts',
  },
  units: {
    none: '–',
    tokens: { one: '{n} token', other: '{n} tokens' },
    ms: '{n} ms',
    s: '{n} s',
  },
  start: {},
  chat: {},
  branches: {},
  conversations: {},
  runs: {},
  usage: {},
  keys: {},
  models: {},
  files: {},
  settings: {},
};

export type Plural = { one: string; other: string };

// fill: the text with its {names} replaced.
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
