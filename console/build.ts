/** Build script of the web console. wrangler runs this script before it serves or deploys the `whittle` Worker. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { REQUESTABLE_OUTPUTS } from '../src/core/catalog/outputs.ts'
import { writeLicences } from './licences-page.ts'

await build({
  entryPoints: { app: 'console/src/main.tsx' },
  outdir: 'console/public/console',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'linked',
  define: { OUTPUT_IDS: JSON.stringify(REQUESTABLE_OUTPUTS) },
  // The console loads pdf.js at run time, and only to show a PDF, so that its bundle stays small.
  external: ['/console/pdf/*'],
  logLevel: 'warning',
})

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
for (const name of readdirSync(PDF)) if (!pdfFiles.has(name)) rmSync(`${PDF}/${name}`)
