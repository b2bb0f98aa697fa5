/**
 * What is valid PDF/A or PDF/UA stays so, by the rules that rewriting can break; veraPDF judges the same files by all rules in
 * `npm run conformance`.
 */
import { describe, expect, it } from 'vitest'
import { Cff } from '../../../../src/core/fonts/cff/font.ts'
import { Dict, latin1, Str, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { archives } from '../../../support/archives.ts'
import { press } from './run.ts'

const LEVELS = ['low', 'medium', 'high'] as const

/** ISO 19005-1, 6.1.2, 6.1.3, 6.1.7, 6.1.8; parts 2 to 4 say the same of objects, streams and identifiers. */
function expectSyntax(text: string, part: string): void {
  expect(text).toMatch(/^%PDF-\d\.\d\n%[\x80-\xff]{4}/)
  for (const [head] of text.matchAll(/.\d+ \d+ obj./gs)) expect(head).toMatch(/^\n\d+ \d+ obj\n$/)
  for (const [end] of text.matchAll(/.(endobj|endstream)./gs)) expect(end).toMatch(/^\n\w+\n$/)
  expect(text.match(/>>stream../gs)?.every((start) => /\n/.test(start))).toBe(true)
  // Neither object streams nor cross-reference streams, in which a reader of PDF 1.4 finds nothing.
  if (part === '1b') expect(text).not.toMatch(/\/ObjStm|\/XRef/)
}

async function read(bytes: Uint8Array) {
  const reader = await Reader.open(memorySource(bytes, 'a.pdf'))
  const root = await reader.dict(reader.trailer.get('Root'))
  const metadata = await reader.resolve(root?.get('Metadata'))
  if (!root || !(metadata instanceof Stream)) throw new Error('an archive without metadata')
  return { reader, root, metadata }
}

describe('a PDF/A or PDF/UA file', () => {
  it.each(archives())('keeps to the rules of its part ($name)', async ({ part, bytes }) => {
    for (const level of LEVELS) {
      const made = await press(bytes, level)
      expect(made.outcome).toMatchObject({ kind: 'compressed' })
      expectSyntax(latin1(made.bytes), part)
      const { reader, root, metadata } = await read(made.bytes)
      expect(reader.trailer.get('ID')).toHaveLength(2)
      // ISO 19005-1, 6.7.2: not filtered.
      expect(metadata.dict.has('Filter')).toBe(false)
      if (part === '4') expect(reader.trailer.has('Info') && !root.has('PieceInfo'), 'ISO 19005-4, 6.1.3').toBe(false)
    }
  })

  it('has exactly the glyphs that it lists, though fewer are shown (ISO 19005-2, 6.2.11.4.2)', async () => {
    const { bytes } = archives().find(({ name }) => name === 'a font that lists its glyphs')!
    for (const level of LEVELS) {
      const { reader } = await read((await press(bytes, level)).bytes)
      let lists = 0
      for (let number = 1; number < reader.xref.size; number++) {
        const descriptor = await reader.get(number)
        const listed = descriptor instanceof Dict ? descriptor.get('CharSet') : undefined
        if (!(descriptor instanceof Dict && listed instanceof Str)) continue
        const program = await reader.resolve(descriptor.get('FontFile3'))
        if (!(program instanceof Stream)) throw new Error('no compact program')
        const cff = new Cff(await reader.decoded(program, 1 << 20))
        const names = Array.from({ length: cff.count - 1 }, (_, glyph) => cff.stringOf(cff.charset[glyph + 1]!))
        expect(latin1(listed.bytes).split('/').slice(1).sort()).toEqual(names.sort())
        lists++
      }
      expect(lists).toBe(1)
    }
  })
})
