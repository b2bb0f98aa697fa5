/**
 * Writes the files of the golden results, for programs that are compared with them:
 * `node --import ./tools/wasm-hook.ts tools/golden/write-files.ts FOLDER FORMAT …`. Prints a JSON list of `WrittenFile`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FORMATS, type FormatId } from '../../src/core/catalog/index.ts'
import { GENERATORS } from '../../test/support/generators.ts'

export interface WrittenFile {
  /** Path relative to the folder. */
  readonly path: string
  readonly format: FormatId
  /** Description of the file in the names of its results. */
  readonly holds: string
}

const [folder = '.', ...formats] = process.argv.slice(2)
const written: WrittenFile[] = []
for (const format of formats) {
  if (!isFormat(format)) throw new Error(`unknown format '${format}'`)
  for (const [i, { holds, name, make, output }] of GENERATORS[format].entries()) {
    if (output !== undefined) continue
    const path = join(`${format}-${i}`, name)
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), await make())
    written.push({ path, format, holds })
  }
}
console.log(JSON.stringify(written))

function isFormat(text: string): text is FormatId {
  return Object.hasOwn(FORMATS, text)
}
