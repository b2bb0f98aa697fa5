/** Bundles the console and builds the API reference. wrangler runs it before it serves or deploys `whittle`. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { REQUESTABLE_OUTPUTS } from '../src/core/catalog/outputs.ts'
import { writeGuides } from './guides.ts'
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
  // The page loads pdf.js only when it shows a PDF.
  external: ['/console/pdf/*'],
  logLevel: 'warning',
})

for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE']) {
  copyFileSync(`node_modules/swagger-ui-dist/${file}`, `console/public/docs/${file}`)
}

writeGuides('console/public/docs')
await writeLicences('console/public')

// Sample photo of the guides, for people without a file of their own.
copyFileSync('docs/photo.jpg', 'console/public/console/sample.jpg')

/**
 * Copies pdf.js with only the two fonts that no system has (Symbol, ZapfDingbats). For other fonts the console uses
 * system fonts (`useSystemFonts`), because the Liberation fonts of pdf.js are GPL.
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
