import { language } from './language.ts'

/** Addresses that the page links to. */
export const LINKS = {
  front: '/',
  guides: '/docs/quick-start',
  formats: '/docs/formats',
  receipts: '/docs/receipts',
  selfHosting: '/docs/self-hosting',
  security: '/docs/security',
  api: '/docs/api',
  console: '/console',
  status: '/status',
  licences: '/licences',
} as const

/** Address of a guide in the language of the page. */
export const guide = (path: string) => (language() === 'zh' ? path.replace('/docs', '/docs/zh') : path)

/** The pictures of the example on the front page. */
export const EXAMPLE = { before: '/app/roofs.jpg', after: '/app/roofs.medium.jpg' } as const
/** Files that visitors can try. */
export const SAMPLES = {
  photo: { address: '/app/photo.jpg', name: 'photo.jpg' },
  screenshot: { address: '/app/screenshot.png', name: 'screenshot.png' },
} as const
/** Where the service worker keeps files that another app shared. */
export const SHARED_CACHE = 'whittle-shared'
