/** Bundles the console and lays out the API reference. wrangler runs it before it serves or deploys `whittle`. */
import { copyFileSync } from 'node:fs'
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
  logLevel: 'warning',
})

for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE']) {
  copyFileSync(`node_modules/swagger-ui-dist/${file}`, `console/public/docs/${file}`)
}
