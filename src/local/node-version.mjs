/** Imported before anything else: an older Node would stop at the first type, with words that help nobody. */
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
// The next start finds what this one has compiled (beside the bundles; where nothing can be written, nothing is).
module.enableCompileCache?.(fileURLToPath(new URL('../../.dev/compiled', import.meta.url)))
