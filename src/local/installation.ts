/** Where the files of the service are: in a checkout, or in the published package `@whittle-app/server`, which has everything built. */
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { markUsed } from './build-record.ts'

/** `.ts` in a checkout. The package contains bundles, all in one folder. */
const EXTENSION = extname(import.meta.filename)

/** True in a checkout. */
export const IS_CHECKOUT = EXTENSION === '.ts'

/** The checkout, or the folder of the package's bundles. Both have `console/public`. */
export const ROOT = IS_CHECKOUT ? resolve(import.meta.dirname, '../..') : import.meta.dirname

/** Program of the service process. */
export const SERVE = join(import.meta.dirname, `serve${EXTENSION}`)

/** Command that starts the service, for messages. */
export const START_COMMAND = IS_CHECKOUT ? 'npm start --' : 'whittle-server'

/** State folder if no other is named. The package keeps it in the working folder, because its own folder is replaced by updates. */
export const DEFAULT_STATE = IS_CHECKOUT ? join(ROOT, '.dev/state') : resolve('whittle-state')

/** A photograph for the first request, as a path that works in the working folder. */
export const SAMPLE = IS_CHECKOUT ? 'docs/photo.jpg' : join(ROOT, 'photo.jpg')

/** Node's compile cache. `node-version.mjs` names the same folder for a checkout. */
export const COMPILE_CACHE = IS_CHECKOUT ? join(ROOT, '.dev/compiled') : join(tmpdir(), 'node-compile-cache')

/** Folder of the bundles of the Workers and press processes. A checkout builds what has changed. */
export async function bundlesOf(root: string): Promise<string> {
  if (!IS_CHECKOUT) return join(root, 'workers')
  const { buildBundles } = await import('./build.ts')
  const build = await buildBundles(root, join(root, '.dev/build'))
  markUsed(build)
  return build
}
