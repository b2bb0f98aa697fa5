/** Bundles the console into `console/public/console`. wrangler runs it before it serves or deploys `whittle`. */
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
