/** Collects the Markdown of the documentation site in one folder, with links that lead to its pages. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorsPage } from './errors-page.ts'
import { resolveLink, rewriteMarkdown } from './markdown.ts'
import { DECISIONS, ERRORS_SLUG, GROUPS, type Group, type Page } from './site-map.ts'

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

/** Address of the repository from `package.json`. `undefined`: it names none. */
export function repositoryOf(root: string): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { repository?: { url?: string } }
  return repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '')
}

/** Writes the Markdown of all pages, their pictures and the public files to `out`. @throws Error if a page links to a missing file */
export function collectSources(root: string, out: string): void {
  const pages = allGroups(root).flatMap((group) => group.pages)
  const slugs = new Map(pages.map((page) => [page.source, page.slug]))
  const repository = repositoryOf(root)
  mkdirSync(out, { recursive: true })
  for (const page of pages) writePage(page, out, pageText(page, { root, out, slugs, repository }))
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

function pageText({ source }: Page, { root, out, slugs, repository }: Context): string {
  return rewriteMarkdown(readFileSync(join(root, source), 'utf8'), (target) => {
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

function writePage({ slug, title, source }: Page, out: string, text: string): void {
  const file = join(out, `${slug === '' ? 'index' : slug}.md`)
  mkdirSync(dirname(file), { recursive: true })
  const front = { title, ...(source === '' ? { editLink: false } : { source }) }
  const lines = Object.entries(front).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  writeFileSync(file, `---\n${lines.join('\n')}\n---\n\n${text}`)
}
