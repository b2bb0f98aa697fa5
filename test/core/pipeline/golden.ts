/** Checks that results stay identical byte for byte. `npm run golden -- --update` records an intended change. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FORMATS, type FormatId } from '../../../src/core/catalog/index.ts'
import { goldenFile, goldenRows, isSameResult } from '../../../tools/golden/golden.ts'
import { generatedOnce } from '../../support/generated.ts'
import { GENERATORS } from '../../support/generators.ts'
import { sha256 } from '../../support/receipts.ts'

const KNOWN = JSON.parse(readFileSync(new URL('../../../tools/golden/golden.json', import.meta.url), 'utf8')) as Record<string, string>
const IDS = Object.keys(FORMATS) as FormatId[]

describe.each(IDS)('%s', (id) => {
  it.each(GENERATORS[id])('$holds: keeps every result byte for byte', async (row) => {
    const rows = await goldenRows(
      id,
      { ...goldenFile(row.holds, row.name, await row.make()), output: row.output },
      async (quality, output) => {
        const { outcome, bytes } = await generatedOnce(id, row, quality, output)
        return outcome.kind === 'unchanged' ? `unchanged: ${outcome.reason}` : `${bytes.length} ${sha256(bytes)}`
      },
    )
    const prefix = `${id}, ${row.holds}, `
    const known = Object.fromEntries(Object.entries(KNOWN).filter(([name]) => name.startsWith(prefix)))
    const different = rows.filter(({ name, result }) => !isSameResult(result, known[name]))
    expect(different.map(({ name, result }) => ({ name, was: known[name], is: result }))).toEqual([])
    expect(rows.length).toBe(Object.keys(known).length)
  })
})

it('has no result of a removed format or file', () => {
  const prefixes = IDS.flatMap((id) => GENERATORS[id].map(({ holds }) => `${id}, ${holds}, `))
  expect(Object.keys(KNOWN).filter((name) => !prefixes.some((prefix) => name.startsWith(prefix)))).toEqual([])
})
