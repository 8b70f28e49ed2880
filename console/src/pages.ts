// The table of pages, in the menu's order. A page is one file below src/pages, whose default export is a component, and a row here.
// Those that are opened seldom come together.
import type { ComponentType } from 'preact';
import type { IconName } from './parts/icon';
import type { Route } from './router';
import { may, open, type Scope } from './session';
import type { words } from './words';

export interface PageProps {
  route: Route;
}

export interface Page {
  name: keyof typeof words.pages & string; // the route's name, and the key of its words
  scope: Scope | null; // what the key needs; null: nothing
  icon: IconName;
  menu: boolean; // false: what else stands in the sidebar leads to it
  admin?: boolean; // where the key may administrate, it stands below "Administration"
  load: () => Promise<{ default: ComponentType<PageProps> }>;
}

const seldom = (name: keyof typeof import('./pages/admin')) => async () => ({
  default: (await import('./pages/admin'))[name],
});

export const pages: Page[] = [
  { name: 'start', scope: null, icon: 'spark', menu: true, load: () => import('./pages/start') },
  { name: 'chat', scope: 'chat', icon: 'chat', menu: false, load: () => import('./pages/chat') },
  { name: 'conversations', scope: 'read', icon: 'list', menu: true, load: () => import('./pages/conversations') },
  { name: 'overview', scope: null, icon: 'gauge', menu: true, load: () => import('./pages/overview_page') },
  { name: 'runs', scope: 'read', icon: 'pulse', menu: true, load: () => import('./pages/runs') },
  { name: 'usage', scope: null, icon: 'bars', menu: true, load: () => import('./pages/usage') },
  { name: 'files', scope: 'files', icon: 'file', menu: true, load: () => import('./pages/files') },
  { name: 'keys', scope: 'admin', icon: 'key', menu: true, admin: true, load: seldom('keys') },
  { name: 'groups', scope: 'admin', icon: 'people', menu: true, admin: true, load: seldom('groups') },
  { name: 'models', scope: null, icon: 'model', menu: true, admin: true, load: seldom('models') },
  { name: 'audit', scope: 'admin', icon: 'check', menu: true, admin: true, load: seldom('audit') },
  { name: 'log', scope: 'admin', icon: 'lines', menu: true, admin: true, load: seldom('log') },
  { name: 'settings', scope: null, icon: 'gear', menu: true, admin: true, load: seldom('settings') },
];

export function pageOf(name: string): Page | undefined {
  return pages.find((page) => page.name === name);
}

export function menu(): Page[] {
  return pages.filter((page) => page.menu && may(page.scope) && (page.name !== 'start' || open.value));
}
