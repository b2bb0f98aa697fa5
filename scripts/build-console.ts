/** Bundles the console and lays out the API reference. wrangler runs it before it serves or deploys `whittle`. */
import { copyFileSync, cpSync, mkdirSync } from 'node:fs'
import { build } from 'esbuild'

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
  // The page loads it when there is a PDF to show.
  external: ['/console/pdf/*'],
  logLevel: 'warning',
})

for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE']) {
  copyFileSync(`node_modules/swagger-ui-dist/${file}`, `console/public/docs/${file}`)
}

const PDF = 'console/public/console/pdf'
mkdirSync(PDF, { recursive: true })
for (const file of ['build/pdf.min.mjs', 'build/pdf.worker.min.mjs', 'LICENSE']) {
  copyFileSync(`node_modules/pdfjs-dist/${file}`, `${PDF}/${file.split('/').at(-1)}`)
}
for (const folder of ['cmaps', 'standard_fonts']) cpSync(`node_modules/pdfjs-dist/${folder}`, PDF, { recursive: true })
