/** Checks the Node version. Imported first, because an older Node would fail with a syntax error at the first type annotation. */
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  console.error(
    `Whittle needs Node ${NEEDED} or newer to run, and this is ${process.versions.node}. On Linux \`npm ci\` brings it and \`npm start\` uses it; ` +
      'elsewhere install it from https://nodejs.org.',
  )
  process.exit(1)
}
// Compile cache for the next start, beside the bundles. If the folder is not writable, Node skips it.
module.enableCompileCache?.(fileURLToPath(new URL('../../.dev/compiled', import.meta.url)))
