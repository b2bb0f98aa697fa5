import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../../wasm')
const engines = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(join(root, entry.name)).some((name) => name.endsWith('.wasm')))
  .map((entry) => entry.name)

test.each(engines)('%s: the committed binary is the one origin.json names', (engine) => {
  const folder = join(root, engine)
  const origin = JSON.parse(readFileSync(join(folder, 'origin.json'), 'utf8')) as {
    sources: { name: string; version: string; sha256: string; licence: string }[]
    wasmSha256: string
  }
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, `${engine}.wasm`)))
    .digest('hex')
  expect(origin.wasmSha256).toBe(hash)
  for (const source of origin.sources) {
    expect(source.name).not.toBe('')
    expect(source.licence).not.toBe('')
  }
  expect(existsSync(join(folder, 'build.sh'))).toBe(true)
})
