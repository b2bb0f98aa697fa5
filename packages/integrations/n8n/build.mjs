// Bundles the node as CommonJS, which n8n loads by path. Community nodes may have no dependencies, so the bundle includes the
// client.
import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const here = import.meta.dirname
const { n8n } = (await import('./package.json', { with: { type: 'json' } })).default
for (const out of [...n8n.credentials, ...n8n.nodes]) {
  const source = join(here, out.replace('dist/', '').replace(/\.js$/, '.ts'))
  await build({
    entryPoints: [source],
    outfile: join(here, out),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['n8n-workflow'],
    logLevel: 'warning',
  })
  cpSync(join(here, 'whittle.svg'), join(here, dirname(out), 'whittle.svg'))
}
