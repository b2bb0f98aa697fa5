/** Pages of the console: their address, title, icon, and who may see them. */
import type { ComponentType } from 'preact'
import { isAtLeast, type Me, type Role } from './api.ts'
import type { IconName } from './icons.tsx'
import type { PageProps } from './pages/compress.tsx'

interface Page {
  readonly title: string
  readonly icon: IconName
  /** Loads the page when it is opened first. */
  readonly load: () => Promise<ComponentType<PageProps>>
  /** Role that a person needs at least. `undefined`: every role. */
  readonly least?: Role
  /** True: the page is about the account, so only people see it, not keys. */
  readonly isOfAccount?: true
}

export const PAGES = {
  overview: { title: 'Overview', icon: 'layout-dashboard', load: async () => (await import('./pages/overview.tsx')).OverviewPage },
  compress: { title: 'Compress', icon: 'image-down', load: async () => (await import('./pages/compress.tsx')).CompressPage },
  tasks: { title: 'Tasks', icon: 'list-checks', load: async () => (await import('./pages/tasks.tsx')).TasksPage },
  buckets: { title: 'Buckets', icon: 'database', load: async () => (await import('./pages/buckets.tsx')).BucketsPage },
  usage: { title: 'Usage', icon: 'chart-column', load: async () => (await import('./pages/usage.tsx')).UsagePage },
  applications: { title: 'Keys', icon: 'key-round', load: async () => (await import('./pages/keys-page.tsx')).KeysPage, isOfAccount: true },
  callbacks: {
    title: 'Callbacks',
    icon: 'webhook',
    load: async () => (await import('./pages/callbacks.tsx')).CallbacksPage,
    isOfAccount: true,
  },
  people: { title: 'People', icon: 'users', load: async () => (await import('./pages/people.tsx')).PeoplePage, isOfAccount: true },
  activity: {
    title: 'Activity',
    icon: 'history',
    load: async () => (await import('./pages/activity.tsx')).ActivityPage,
    isOfAccount: true,
    least: 'admin',
  },
} as const satisfies Record<string, Page>

export type PageName = keyof typeof PAGES

/** Page of an address such as `#tasks/failed`. */
export function pageOf(hash: string): PageName {
  const name = hash.slice(1).split('/')[0] ?? ''
  return Object.hasOwn(PAGES, name) ? (name as PageName) : 'overview'
}

export function isFor(me: Me, name: PageName): boolean {
  const page: Page = PAGES[name]
  return isAtLeast(me.role, page.least ?? 'viewer') && !(me.isKey && page.isOfAccount)
}
