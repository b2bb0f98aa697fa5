/** Collects the Markdown of the documentation site in one folder, with links that lead to its pages. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorsPage } from './errors-page.ts'
import { resolveLink, rewriteMarkdown } from './markdown.ts'
import { CHINESE_PREFIX, DECISIONS, ERRORS_SLUG, GROUPS, type Group, type Page } from './site-map.ts'
import { completeText, type Translation, translationsOf } from './translations.ts'

/** Prefix of links to pages of the service outside of `/docs`. `config.ts` removes it. */
export const SERVICE = 'service:'
/** Files of the repository that a page of the service shows. */
const SHOWN_ELSEWHERE: Readonly<Record<string, string>> = { 'src/service/http/openapi.ts': `${SERVICE}/docs/api` }
/** Extensions of files that are shown inside a page. */
const IMAGE = /\.(png|jpg|svg)$/

/** All groups of the sidebar, with the decisions. */
export function allGroups(root: string): Group[] {
  const names = globSync('*.md', { cwd: join(root, DECISIONS.folder) }).sort()
  const pages = names.map((file) => {
    const name = basename(file, '.md')
    const [, heading = name] = /^# (.+?)(?: \([^)]*\))?$/m.exec(readFileSync(join(root, DECISIONS.folder, file), 'utf8')) ?? []
    return name === 'README' ? { ...DECISIONS.page(name, 'Overview'), slug: 'decisions/overview' } : DECISIONS.page(name, heading)
  })
  const overviewFirst = [
    ...pages.filter(({ slug }) => slug.endsWith('overview')),
    ...pages.filter(({ slug }) => !slug.endsWith('overview')),
  ]
  return [...GROUPS, { title: DECISIONS.title, pages: overviewFirst }]
}

/** A page, and its Chinese form. */
interface Translated {
  readonly english: Page
  readonly chinese: Page
  readonly translation: Translation
}

/** All pages that there are in Chinese. @throws Error if a Chinese file belongs to no page */
export function translatedPages(root: string): Translated[] {
  const pages = new Map(GROUPS.flatMap((group) => group.pages).map((page) => [page.source, page]))
  return translationsOf(root).map((translation) => {
    const english = pages.get(translation.english)
    if (!english) throw new Error(`${translation.source} belongs to no page.`)
    const [, title = english.title] = /^# (.+)$/m.exec(translation.text) ?? []
    return { english, chinese: { slug: CHINESE_PREFIX + english.slug, title, source: translation.source }, translation }
  })
}

/** Address of the repository from `package.json`. `undefined`: it names none. */
export function repositoryOf(root: string): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { repository?: { url?: string } }
  return repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '')
}

/** Writes the Markdown of all pages, their pictures and the public files to `out`. @throws Error if a page links to a missing file */
export function collectSources(root: string, out: string): void {
  const pages = allGroups(root).flatMap((group) => group.pages)
  const translated = translatedPages(root)
  const slugs = new Map([...pages, ...translated.map(({ chinese }) => chinese)].map((page) => [page.source, page.slug]))
  const context = { root, out, slugs, repository: repositoryOf(root) }
  const others = new Map(
    translated.flatMap(({ english: { slug }, chinese }) => [[slug, chinese.slug] as const, [chinese.slug, slug] as const]),
  )
  mkdirSync(out, { recursive: true })
  for (const page of pages) writePage(page, out, pageText(page, textOf(page, root), context), others.get(page.slug))
  for (const { english, chinese, translation } of translated) {
    const text = completeText(translation, textOf(english, root))
    writePage(chinese, out, pageText(chinese, text, context), english.slug)
  }
  writePage({ slug: ERRORS_SLUG, title: 'Errors', source: '' }, out, errorsPage())
  cpSync(join(root, 'pages/docs/public'), join(out, 'public'), { recursive: true })
}

interface Context {
  readonly root: string
  readonly out: string
  /** Address below `/docs/` of each Markdown file. */
  readonly slugs: ReadonlyMap<string, string>
  readonly repository: string | undefined
}

const textOf = ({ source }: Page, root: string) => readFileSync(join(root, source), 'utf8')

function pageText({ source }: Page, text: string, { root, out, slugs, repository }: Context): string {
  return rewriteMarkdown(text, (target) => {
    const link = resolveLink(target, source)
    if (!link) return target
    if (!existsSync(join(root, link.path))) throw new Error(`${source} links to ${target}, which does not exist.`)
    const slug = slugs.get(link.path)
    if (slug !== undefined) return `/${slug}${link.fragment}`
    if (link.path in SHOWN_ELSEWHERE) return SHOWN_ELSEWHERE[link.path]!
    if (IMAGE.test(link.path)) {
      const name = link.path.replaceAll('/', '-')
      cpSync(join(root, link.path), join(out, 'media', name))
      return `/media/${name}`
    }
    return repository === undefined ? `${SERVICE}/docs/` : `${repository}/blob/main/${link.path}${link.fragment}`
  })
}

/** @param other slug of the page in the other language. `undefined`: there is none */
function writePage({ slug, title, source }: Page, out: string, text: string, other?: string): void {
  const file = join(out, `${slug === '' || slug.endsWith('/') ? `${slug}index` : slug}.md`)
  mkdirSync(dirname(file), { recursive: true })
  const front = { title, ...(source === '' ? { editLink: false } : { source }), ...(other === undefined ? {} : { other: `/${other}` }) }
  const lines = Object.entries(front).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  writeFileSync(file, `---\n${lines.join('\n')}\n---\n\n${text}`)
}
