/** Answer to an address that does not exist, for a browser: where to go instead. */
import type { Language } from '../../i18n/message.ts'
import type { AppContext } from '../context.ts'
import { PAGE_POLICY } from '../page-policies.ts'
import { languageFor } from '../task-serialiser.ts'
import { framed } from './frame.ts'
import { prefersHtml } from './page.ts'

const WORDS = {
  en: {
    title: 'This page does not exist',
    text: 'The address may be incomplete, or the page has moved.',
    ...{ front: 'Make a file smaller', docs: 'Search the docs', console: 'Open the console' },
  },
  'zh-Hans': {
    title: '此页面不存在',
    text: '地址可能不完整，或页面已移动。',
    ...{ front: '压缩文件', docs: '搜索文档', console: '打开控制台' },
  },
} as const satisfies Record<Language, Record<string, string>>

/** Page for a person who follows a wrong link. `undefined`: the client is a program, or the address is one of the API. */
export function notFoundPage(c: AppContext): Response | undefined {
  const isPage = c.req.method === 'GET' && prefersHtml(c) && !c.get('url').pathname.startsWith('/v1')
  if (!isPage) return undefined
  const language = languageFor(c)
  const { title, text, front, docs, console } = WORDS[language]
  const main = `<p class="muted">${text}</p>
<p class="row"><a class="btn btn--primary" href="/">${front}</a><a class="btn" href="/docs">${docs}</a><a class="btn" href="/console">${console}</a></p>`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': PAGE_POLICY,
    'Cache-Control': 'no-store',
    Vary: 'Accept, Accept-Language',
  }
  return new Response(framed(language, title, main), { status: 404, headers })
}
