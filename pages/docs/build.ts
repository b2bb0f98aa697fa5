/**
 * Builds the documentation site into `console/public/docs`, where the console's files are served from. Does nothing if its inputs have not
 * changed since the last build. `node pages/docs/build.ts` builds it by hand; it needs no network.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { collectSources } from './sources.ts'
import { translationsOf } from './translations.ts'

/** Folder of the site, from the root. */
export const SITE = 'console/public/docs'
/** Hash of the inputs of the last build, from the root. */
const BUILT = '.dev/build/docs-site.txt'

/** Everything that the site is made from. */
const INPUTS = [
  'docs/**/*',
  'pages/**/*',
  'packages/{cli,core,film}/README.md',
  'packages/{clients,integrations}/*/README.md',
  'src/core/i18n/zh/inventory.ts',
  'src/service/http/error-texts.ts',
  'src/service/tasks/api-error.ts',
  'package.json',
  'package-lock.json',
]

/** Hash of the contents of all inputs, first 16 hex digits. */
function hashOfInputs(root: string): string {
  const hash = createHash('sha256')
  const files = globSync(INPUTS, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of [...new Set(files.map((entry) => join(entry.parentPath, entry.name)))].sort())
    hash.update(path.slice(root.length)).update('\n').update(readFileSync(path)).update('\n')
  return hash.digest('hex').slice(0, 16)
}

/** True if the site is there and was made from the present inputs. */
export function isDocsSiteFresh(root: string): boolean {
  const file = join(root, BUILT)
  return existsSync(join(root, SITE, 'index.html')) && existsSync(file) && readFileSync(file, 'utf8') === hashOfInputs(root)
}

/** Builds the site if it is not fresh. @returns true if it was built @throws Error if a page has a dead link, or a folder is read-only */
export async function buildDocsSite(root: string): Promise<boolean> {
  if (isDocsSiteFresh(root)) return false
  const hash = hashOfInputs(root)
  const work = join(root, `.dev/docs-site-${process.pid}`)
  rmSync(work, { recursive: true, force: true })
  try {
    const sources = join(work, 'src')
    collectSources(root, sources)
    process.env['WHITTLE_DOCS_SOURCES'] = sources
    writeEntrances(root, work)
    const { build } = await import('vitepress')
    await build(work, { outDir: join(work, 'site') })
    addReference(root, join(work, 'site'))
    rmSync(join(root, SITE), { recursive: true, force: true })
    renameSync(join(work, 'site'), join(root, SITE))
    mkdirSync(join(root, '.dev/build'), { recursive: true })
    writeFileSync(join(root, BUILT), hash)
    for (const { source, isStale } of translationsOf(root)) if (isStale) console.log(`${source}: the English page is newer.`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return true
}

/** Leads VitePress from the work folder to configuration and theme. VitePress writes beside its configuration, so each build has its own. */
function writeEntrances(root: string, work: string): void {
  mkdirSync(join(work, '.vitepress/theme'), { recursive: true })
  const exported = (path: string) => `export { default } from ${JSON.stringify(join(root, 'pages/docs', path))}\n`
  writeFileSync(join(work, '.vitepress/config.ts'), exported('config.ts'))
  writeFileSync(join(work, '.vitepress/theme/index.ts'), exported('theme/index.ts'))
}

/** Fonts of the API reference, beside those of VitePress, whose names change with each build. */
const FONTS = { geist: 'Geist Variable', 'geist-mono': 'Geist Mono Variable' } as const

/** Adds the API reference: its page, the bundle of Scalar, tokens and fonts. */
function addReference(root: string, site: string): void {
  for (const name of ['api.html', 'api.js', 'api.css', 'policy.js']) cpSync(join(root, 'pages/docs/api', name), join(site, name))
  cpSync(join(root, 'pages/tokens.css'), join(site, 'tokens.css'))
  cpSync(join(root, 'node_modules/@scalar/api-reference/dist/browser/standalone.js'), join(site, 'scalar.js'))
  const faces = Object.entries(FONTS).map(([name, family]) => {
    const file = `${name}-latin-wght-normal.woff2`
    cpSync(join(root, `node_modules/@fontsource-variable/${name}/files/${file}`), join(site, file))
    return `@font-face{font-family:"${family}";font-weight:100 900;font-display:swap;src:url(/docs/${file}) format("woff2")}`
  })
  writeFileSync(join(site, 'fonts.css'), `${faces.join('\n')}\n`)
}

if (import.meta.main) await buildDocsSite(resolve(import.meta.dirname, '../..'))
