import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dependencies } from '../../../package.json'
import { FORMATS, type FormatId } from '../../../src/core/catalog/index.ts'
import { kindsOf } from '../../../src/core/catalog/inventory/index.ts'
import { INVENTORY_KINDS } from '../../../src/core/catalog/inventory/kinds.ts'
import { OUTPUT_ONLY_FORMATS } from '../../../src/core/catalog/output-table.ts'
import { type OutputId, outputFacts } from '../../../src/core/catalog/outputs.ts'
import { EN } from '../../../src/core/i18n/en.ts'
import { ZH } from '../../../src/core/i18n/zh.ts'
import { INFLATE_LIBRARY } from '../../../src/core/inventory/inflate.ts'
import { readerOf } from '../../../src/core/inventory/readers.ts'
import { XML_LIBRARY } from '../../../src/core/inventory/xml-library.ts'

const formats = Object.keys(FORMATS) as FormatId[]
/** True if an output has the inventory of the file inside. */
const wraps = (id: OutputId) => outputFacts(id).wraps
/** Formats and outputs with an inventory of their own. Nobody knows what other data holds. */
const outputs = [...formats, ...(Object.keys(OUTPUT_ONLY_FORMATS) as OutputId[])].filter((id) => id !== 'data' && !wraps(id))

describe('policy of inventories', () => {
  it.each(outputs)('%s has a reader and at least one kind', async (id) => {
    expect(kindsOf(id).length).toBeGreaterThan(0)
    expect(await readerOf(id)).toBeDefined()
  })

  it('names every kind in English and Chinese', () => {
    for (const kind of INVENTORY_KINDS) {
      expect(EN[`kind_${kind}`]).toBeTruthy()
      expect(ZH[`kind_${kind}`]).toBeTruthy()
    }
  })

  it('uses every kind in at least one format', () => {
    const used = new Set(outputs.flatMap(kindsOf))
    expect(INVENTORY_KINDS.filter((kind) => !used.has(kind))).toEqual([])
  })

  it('is explained in the documents, one line for each kind', () => {
    const page = readFileSync(new URL('../../../docs/users/inventory.md', import.meta.url), 'utf8')
    const listed = [...page.matchAll(/^\| `(\w+)` \| .{10,} \|$/gm)].map(([, kind]) => kind)
    expect(listed).toEqual([...INVENTORY_KINDS].sort())
  })

  it('names the installed versions of its libraries', () => {
    expect(XML_LIBRARY).toBe(`saxes ${dependencies.saxes}`)
    expect(INFLATE_LIBRARY).toBe(`fflate ${dependencies.fflate}`)
  })
})
