/** Configuration of VitePress. `pages/docs/build.ts` calls it. */
import { join, resolve } from 'node:path'
import { type DefaultTheme, defineConfig, type HeadConfig, type MarkdownOptions, type PageData } from 'vitepress'
import { CHINESE_EDIT_LINK, CHINESE_SEARCH, CHINESE_THEME, chineseSidebar } from './chinese.ts'
import { classesForColours, THEME } from './highlight.ts'
import { htmlForIndex } from './search.ts'
import { CHINESE_PREFIX, DECISIONS, type Group } from './site-map.ts'
import { allGroups, repositoryOf, SERVICE } from './sources.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Folder of the collected Markdown, from `build.ts`. */
const sources = process.env['WHITTLE_DOCS_SOURCES'] ?? join(ROOT, '.dev/docs-site/src')
const repository = repositoryOf(ROOT)
/** True for a page, by the path of its Markdown below the folder of all pages. */
const isChinese = (path: string | undefined) => path?.startsWith(CHINESE_PREFIX) ?? false
/** MiniSearch for questions in Chinese. */
const SEARCH = join(import.meta.dirname, 'theme/minisearch.ts')
const CHINESE_DESCRIPTION = '如何用 Whittle 让文件变小，以及如何核对没有任何内容丢失。'
const DESCRIPTION = 'How to make files smaller with Whittle, and how to check that nothing was lost.'

/** Titles of the groups for contributors. */
const INTERNAL: readonly string[] = ['Contribute', DECISIONS.title]
const groups = allGroups(ROOT)
const internal = groups.filter(({ title }) => INTERNAL.includes(title))
const sidebarGroup = ({ title, pages }: Group) => ({
  text: title,
  items: pages.map((page) => ({ text: page.title, link: `/${page.slug}` })),
})
const API = { text: 'API', link: '/api', target: '_self' }
const REFERENCE = { text: 'Reference', items: [API, { text: 'Errors', link: '/errors' }] }
const ELSEWHERE = {
  title: 'Contribute',
  pages: internal.map(({ title, pages }) => ({ ...pages[0]!, title: pages[0]!.title === 'Overview' ? title : pages[0]!.title })),
}
const forUsers = groups.filter(({ title }) => !INTERNAL.includes(title))
const editLink = (text: string) => (repository === undefined ? {} : { editLink: { text, pattern: `${repository}/edit/main/:path` } })

const OUTLINE = 'On this page'

const chineseTheme: DefaultTheme.Config = {
  ...CHINESE_THEME,
  ...editLink(CHINESE_EDIT_LINK),
  nav: [{ text: '文档', link: '/zh/quick-start', activeMatch: '.' }, API],
  sidebar: [
    ...chineseSidebar(ROOT, forUsers),
    { text: '参考（英文）', items: [API, { text: '错误', link: '/errors' }] },
    ...chineseSidebar(ROOT, [ELSEWHERE]),
  ],
}

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/** Writes Markdown without `style` attributes, which the Content Security Policy forbids, and leads some links out of `/docs`. */
function adaptRenderer(md: MarkdownIt): void {
  const { rules } = md.renderer
  const open = rules.link_open
  rules.link_open = (tokens, i, options, env, self) => {
    const token = tokens[i]
    const href = token?.attrGet('href') ?? ''
    if (isChinese(env.relativePath) && token?.attrGet('class') === 'header-anchor') token.attrSet('aria-label', '此标题的链接')
    if (!token || !href.startsWith(SERVICE)) return open ? open(tokens, i, options, env, self) : self.renderToken(tokens, i, options)
    token.attrSet('href', href.slice(SERVICE.length))
    token.attrSet('target', '_self')
    return self.renderToken(tokens, i, options)
  }
  // A wide table scrolls in its own box, which needs keyboard focus.
  rules.table_open = (tokens, i, _, env) => {
    const number = tokens.slice(0, i + 1).filter(({ type }) => type === 'table_open').length
    return `<div class="table" tabindex="0" role="region" aria-label="${isChinese(env.relativePath) ? '表格' : 'Table'} ${number}"><table>`
  }
  rules.table_close = () => '</table></div>'
  const fence = rules.fence!
  rules.fence = (tokens, i, options, env, self) => {
    const html = fence(tokens, i, options, env, self)
    return isChinese(env.relativePath) ? html.replace('title="Copy Code"', 'title="复制代码"') : html
  }
  md.core.ruler.push('alignment', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type !== 'td_open' && token.type !== 'th_open') continue
      if (token.attrGet('style') === 'text-align:right') token.attrJoin('class', 'right')
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
    }
  })
}

/** Scripts that VitePress writes into the page. `boot.js` does the same as a file. */
const INLINE_SCRIPT = /<script id="check-[\w-]+">[\s\S]*?<\/script>\s*/g

/** Scripts and preloads of a page, and the stylesheet of icons, which is empty. */
const MODULE = /<script type="module" src="([^"]+)"><\/script>/g
const MODULE_PRELOAD = '<link rel="modulepreload"'
const ICONS = /<link rel="preload stylesheet" href="[^"]*vp-icons\.css" as="style">\s*/

/** Names the scripts for `boot.js`, which starts them. A phone does not preload them with the page, because its text needs none. */
const scriptsForBoot = (html: string) =>
  html
    .replaceAll(MODULE, (_, source: string) => `<meta name="whittle-script" content="${source}">\n    ${MODULE_PRELOAD} href="${source}">`)
    .replaceAll(MODULE_PRELOAD, `${MODULE_PRELOAD} media="${NOT_PHONE}"`)

/**
 * Button of the contents on a phone. VitePress reads the headings in the browser, so its HTML has another button in that place, which Vue may
 * find changed.
 */
const NO_CONTENTS = /(<div class="VPLocalNavOutlineDropdown"[^>]*><button)([^>]*>)[^<]*(?=<\/button>)/
const withContents = (html: string) =>
  /<h2 id=/.test(html)
    ? html.replace(NO_CONTENTS, `$1 data-allow-mismatch="text"$2${html.includes('<html lang="zh') ? CHINESE_THEME.outline.label : OUTLINE}`)
    : html

/** Screens whose scripts start at once. `boot.js` has the opposite. */
const NOT_PHONE = 'not all and (pointer: coarse) and (max-width: 959px)'

/** The font of the text, which is wanted before the stylesheet that names it is read. */
const FONT = /geist-latin-wght-normal\.[\w-]+\.woff2$/

/** Styles that VitePress's own components write into the page. They are initial values, which its scripts set again. */
const INLINE_STYLE = / style="(?:--vp-vh:0px|position:relative);"/g

/** Names the page in both languages for search engines. The Worker completes the addresses. */
function alternates({ relativePath, frontmatter }: PageData): HeadConfig[] {
  const other = frontmatter['other'] as string | undefined
  if (other === undefined) return []
  const own = `/${relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`
  const [english, chinese] = isChinese(relativePath) ? [other, own] : [own, other]
  return Object.entries({ en: english, 'zh-Hans': chinese, 'x-default': english }).map(([hreflang, path]) => [
    'link',
    { rel: 'alternate', hreflang, href: `/docs${path}` },
  ])
}

/** Puts `theme/minisearch.ts` in the place of MiniSearch. */
const chineseQuestions = {
  name: 'whittle-chinese-questions',
  enforce: 'pre' as const,
  resolveId: (id: string, importer = '') => (id === 'minisearch' && !importer.startsWith(SEARCH) ? SEARCH : undefined),
}

export default defineConfig({
  lang: 'en',
  locales: {
    // Without labels, the theme shows no menu of languages. `theme/index.ts` has a link to the other language instead.
    root: { label: '', lang: 'en' },
    zh: { label: '', lang: 'zh-Hans', titleTemplate: ':title – Whittle 文档', description: CHINESE_DESCRIPTION, themeConfig: chineseTheme },
  },
  title: 'Whittle',
  titleTemplate: ':title – Whittle docs',
  description: DESCRIPTION,
  base: '/docs/',
  srcDir: sources,
  cleanUrls: true,
  // Otherwise each page loads the forty pages of its sidebar.
  router: { prefetchLinks: false },
  // Otherwise a `<style>` element without a nonce stops transitions while the colours change.
  appearance: { disableTransition: false },
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', href: '/docs/mark.svg', type: 'image/svg+xml' }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  markdown: {
    html: false,
    linkify: false,
    theme: THEME,
    codeTransformers: [classesForColours],
    config: adaptRenderer,
  },
  // Vite of VitePress may look for configuration files of other tools in the folders above.
  vite: { css: { postcss: {} }, build: { chunkSizeWarningLimit: 1500 }, logLevel: 'warn', plugins: [chineseQuestions] },
  // `filePath` is the path in the repository, for "Edit this page".
  transformPageData: ({ frontmatter }) => (typeof frontmatter['source'] === 'string' ? { filePath: frontmatter['source'] } : {}),
  transformHead: ({ assets, pageData }) => [
    ...assets
      .filter((href) => FONT.test(href))
      .map((href): HeadConfig => ['link', { rel: 'preload', href, as: 'font', type: 'font/woff2', crossorigin: '' }]),
    ...alternates(pageData),
  ],
  transformHtml: (html) =>
    withContents(scriptsForBoot(html))
      .replace(INLINE_SCRIPT, '')
      .replace(ICONS, '')
      .replaceAll(INLINE_STYLE, '')
      .replace('<head>', '<head>\n    <script src="/docs/boot.js"></script>'),
  themeConfig: {
    logo: { light: '/mark.svg', dark: '/mark-dark.svg', alt: '' },
    nav: [{ text: 'Docs', link: '/quick-start', activeMatch: '.' }, API],
    // Contributors read their own sidebar, so that the one of users stays short.
    sidebar: {
      '/': [...forUsers.map(sidebarGroup), REFERENCE, sidebarGroup(ELSEWHERE)],
      ...Object.fromEntries(['/contributors/', '/decisions/'].map((path) => [path, internal.map(sidebarGroup)])),
    },
    outline: { level: [2, 3], label: OUTLINE },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        translations: { button: { buttonText: 'Search the docs', buttonAriaLabel: 'Search the docs' } },
        locales: { zh: { translations: CHINESE_SEARCH } },
        _render: (text, env, md) => (isChinese(env.relativePath) ? htmlForIndex(md.render(text, env)) : md.render(text, env)),
      },
    },
    ...editLink('Edit this page'),
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: false,
  },
})
