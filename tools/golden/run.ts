/**
 * `npm run golden` compares the results for the generated fixtures with `golden.json`; `-- --update` writes it.
 * `npm run golden -- --corpus DIR --file FILE [--update]` does so for every file of a folder, with the table FILE.
 */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fileSource } from '../../packages/core/src/file-source.ts'
import { FORMATS, type FormatId } from '../../src/core/catalog/index.ts'
import { identify } from '../../src/core/pipeline/identify.ts'
import { GENERATORS } from '../../test/support/generators.ts'
import { type GoldenRow, goldenFile, goldenRows, isSameResult } from './golden.ts'

const { values } = parseArgs({
  options: {
    update: { type: 'boolean', default: false },
    /** Folder of real files, searched recursively. */
    corpus: { type: 'string' },
    /** Table of results for `--corpus`. */
    file: { type: 'string' },
    /** Formats to run, separated by commas. Default: all. */
    only: { type: 'string' },
  },
})
const table = values.corpus === undefined ? join(import.meta.dirname, 'golden.json') : values.file
if (table === undefined) throw new Error('--corpus needs --file with the table of results to compare or write')
const only = values.only?.split(',')

async function* fixtureRows(): AsyncGenerator<GoldenRow> {
  for (const id of Object.keys(FORMATS) as FormatId[]) {
    if (only && !only.includes(id)) continue
    for (const { holds, name, make, output } of GENERATORS[id])
      yield* await goldenRows(id, { ...goldenFile(holds, name, await make()), output })
  }
}

async function* corpusRows(folder: string): AsyncGenerator<GoldenRow> {
  for (const path of globSync('**/*', { cwd: folder }).sort()) {
    if (!statSync(join(folder, path)).isFile()) continue
    using source = fileSource(join(folder, path))
    const format = await identify(source)
    if (!format || (only && !only.includes(format.id))) continue
    yield* await goldenRows(format.id, { holds: path, name: source.name, source })
  }
}

const recorded = existsSync(table) ? (JSON.parse(readFileSync(table, 'utf8')) as Record<string, string>) : {}
const results = new Map<string, string>()
for await (const { name, result } of values.corpus === undefined ? fixtureRows() : corpusRows(values.corpus)) results.set(name, result)
if (values.update) {
  // Rows of formats that did not run stay.
  const others = Object.entries(recorded).filter(([name]) => only && !only.includes(name.slice(0, name.indexOf(','))))
  const sorted = Object.fromEntries([...others, ...results].sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(table, `${JSON.stringify(sorted, null, 2)}\n`)
  console.log(`${results.size} results written to ${table}`)
} else {
  const names = [...new Set([...results.keys(), ...(only ? [] : Object.keys(recorded))])]
  const different = names.filter((name) => !isSameResult(results.get(name), recorded[name]))
  for (const name of different)
    console.log(`${name}\n  expected ${recorded[name] ?? 'no result'}\n  got      ${results.get(name) ?? 'no result'}`)
  console.log(`${results.size} results, ${different.length} different`)
  process.exitCode = different.length > 0 ? 1 : 0
}
