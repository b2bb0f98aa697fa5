/**
 * Builds the web console into `console/public`, the folder of static files of the Worker `whittle`. `wrangler.toml` names this program as
 * the build command, so `wrangler dev` and `wrangler deploy` run it.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { type BuildOptions, build } from 'esbuild'
import { servedAddresses } from '../site/addresses.ts'
import { siteFacts } from '../site/facts.ts'
import { writeLicences } from './licences-page.ts'

/** Folder for the built console. Its files are served under `/console/`. */
const OUT = 'console/public/console'

const COMMON: BuildOptions = {
  outdir: OUT,
  bundle: true,
  minify: true,
  target: ['es2022', 'chrome123', 'firefox121', 'safari17.5'],
  define: { SITE_FACTS: JSON.stringify(siteFacts()) },
  logLevel: 'warning',
}

const { metafile } = await build({
  ...COMMON,
  metafile: true,
  entryPoints: { app: 'console/src/main.tsx' },
  format: 'esm',
  splitting: true,
  chunkNames: 'part-[hash]',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'linked',
  // The console loads pdf.js at run time, and only to show a PDF, so that its bundle stays small. The fonts are those of the front page.
  plugins: [servedAddresses()],
})
// Deletes scripts of earlier builds. A script is named after a hash of its content, so a new build never overwrites an old script.
// With `force`, a file that another build has just deleted is no error.
for (const name of readdirSync(OUT))
  if (/^part-\w+\.js/.test(name) && !Object.hasOwn(metafile.outputs, `${OUT}/${name}`)) rmSync(`${OUT}/${name}`, { force: true })
// Runs before the page is drawn, so that a chosen theme does not flash.
await build({ ...COMMON, entryPoints: { theme: 'site/src/theme.ts' }, format: 'iife' })

copyFileSync('pages/tokens.css', 'console/public/console/tokens.css')
await writeLicences('console/public')

// Photo that the console compresses when a user clicks "Use a sample photo".
copyFileSync('docs/photo.jpg', 'console/public/console/sample.jpg')

/**
 * Folder that gets a copy of pdf.js with two of its fonts, Symbol and ZapfDingbats, which operating systems lack. All other fonts come from
 * the reader's system (`useSystemFonts`), because the Liberation fonts of pdf.js are under the GPL.
 */
const PDF = 'console/public/console/pdf'
const PDFJS = 'node_modules/pdfjs-dist'
const pdfFiles = new Map([
  ...['pdf.min.mjs', 'pdf.worker.min.mjs'].map((name) => [name, `${PDFJS}/build/${name}`] as const),
  ...['FoxitSymbol.pfb', 'FoxitDingbats.pfb', 'LICENSE_FOXIT'].map((name) => [name, `${PDFJS}/standard_fonts/${name}`] as const),
  ...readdirSync(`${PDFJS}/cmaps`).map((name) => [name === 'LICENSE' ? 'LICENSE_CMAPS' : name, `${PDFJS}/cmaps/${name}`] as const),
  ['LICENSE', `${PDFJS}/LICENSE`],
])
mkdirSync(PDF, { recursive: true })
for (const [name, source] of pdfFiles) copyFileSync(source, `${PDF}/${name}`)
// Removes files of an earlier build, which would be served too.
for (const name of readdirSync(PDF)) if (!pdfFiles.has(name)) rmSync(`${PDF}/${name}`, { force: true })
