/**
 * Checks that valid PDF/A and PDF/UA files stay valid, for the rules that rewriting may break. `npm run conformance` checks the same files
 * with veraPDF and all rules.
 */
import { describe, expect, it } from 'vitest'
import { Cff } from '../../../../src/core/fonts/cff/font.ts'
import { Dict, latin1, Str, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { archives } from '../../../support/archives.ts'
import { press } from './run.ts'

const LEVELS = ['low', 'medium', 'high'] as const

/**
 * Checks the syntax rules of ISO 19005-1, 6.1.2, 6.1.3, 6.1.7 and 6.1.8. Parts 2 to 4 have the same rules for objects, streams and
 * identifiers.
 */
function expectSyntax(text: string, part: string): void {
  expect(text).toMatch(/^%PDF-\d\.\d\n%[\x80-\xff]{4}/)
  for (const [head] of text.matchAll(/.\d+ \d+ obj./gs)) expect(head).toMatch(/^\n\d+ \d+ obj\n$/)
  for (const [end] of text.matchAll(/.(endobj|endstream)./gs)) expect(end).toMatch(/^\n\w+\n$/)
  expect(text.match(/>>stream../gs)?.every((start) => /\n/.test(start))).toBe(true)
  // PDF/A-1 allows neither object streams nor cross-reference streams, which a PDF 1.4 reader does not support.
  if (part === '1b') expect(text).not.toMatch(/\/ObjStm|\/XRef/)
}

async function read(bytes: Uint8Array) {
  const reader = await Reader.open(memorySource(bytes, 'a.pdf'))
  const root = await reader.dict(reader.trailer.get('Root'))
  const metadata = await reader.resolve(root?.get('Metadata'))
  if (!root || !(metadata instanceof Stream)) throw new Error('an archive without metadata')
  return { reader, root, metadata }
}

describe('PDF/A and PDF/UA files', () => {
  it.each(archives())('stay valid ($name)', async ({ part, bytes }) => {
    for (const level of LEVELS) {
      const made = await press(bytes, level)
      expect(made.outcome).toMatchObject({ kind: 'compressed' })
      expectSyntax(latin1(made.bytes), part)
      const { reader, root, metadata } = await read(made.bytes)
      expect(reader.trailer.get('ID')).toHaveLength(2)
      // XMP metadata must not be filtered (ISO 19005-1, 6.7.2).
      expect(metadata.dict.has('Filter')).toBe(false)
      if (part === '4') expect(reader.trailer.has('Info') && !root.has('PieceInfo'), 'ISO 19005-4, 6.1.3').toBe(false)
    }
  })

  it('keep all listed glyphs, even if fewer are shown (ISO 19005-2, 6.2.11.4.2)', async () => {
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
