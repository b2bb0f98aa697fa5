/**
 * Rebuilds Wasm engines from their pinned sources: `npm run build:wasm -- [engine …]` (default: all with a build.sh). Checks each
 * binary against the hash in origin.json. `--update` writes the new hash instead.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { update: { type: 'boolean', default: false } } })

const root = join(import.meta.dirname, '../../wasm')
const engines = positionals.length > 0 ? positionals : readdirSync(root).filter((name) => existsSync(join(root, name, 'build.sh')))
let failures = 0

for (const engine of engines) {
  const folder = join(root, engine)
  const { status } = spawnSync('sh', [join(folder, 'build.sh')], { stdio: 'inherit' })
  if (status !== 0) {
    console.error(`${engine}: build.sh ended with ${status}`)
    failures++
    continue
  }
  chmodSync(join(folder, `${engine}.wasm`), 0o644)
  const path = join(folder, 'origin.json')
  const origin = JSON.parse(readFileSync(path, 'utf8')) as { wasmSha256: string }
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, `${engine}.wasm`)))
    .digest('hex')
  if (hash === origin.wasmSha256) console.log(`${engine}: ${hash}, as in origin.json`)
  else if (values.update) {
    writeFileSync(path, `${JSON.stringify({ ...origin, wasmSha256: hash }, null, 2)}\n`)
    console.log(`${engine}: ${hash}, written to origin.json`)
  } else {
    console.error(`${engine}: built ${hash}, but origin.json says ${origin.wasmSha256} (another compiler version?)`)
    failures++
  }
}
process.exitCode = failures ? 1 : 0
