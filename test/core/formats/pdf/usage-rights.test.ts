/** Tests usage rights for Adobe Reader, which Adobe signs over the whole file although no person signed anything. */

import { describe, expect, it } from 'vitest'
import { latin1 } from '../../../../src/core/formats/pdf/objects.ts'
import { pdf } from '../../../../src/core/formats/pdf/pdf.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { inEnglish, textsOf } from '../../../support/in-english.ts'
import { buildPdf, plainDocument } from './build.ts'
import { press } from './run.ts'

/** Three pages use object numbers up to 8, so additional objects start at 9. */
const RIGHTS = '<</Type/Sig/Filter/Adobe.PPKLite/ByteRange [0 10 20 30]/Contents<00>/Reference[<</TransformMethod/UR3>>]>>'
const DETAIL = expect.stringContaining('usage_rights=drop')

const KINDS: [string, Uint8Array][] = [
  ['in an object of their own', buildPdf(plainDocument(3, [RIGHTS], '/Perms<</UR3 9 0 R>>'))],
  ['in permissions of their own', buildPdf(plainDocument(3, [`<</UR ${RIGHTS}>>`], '/Perms 9 0 R'))],
  ['in the catalog', buildPdf(plainDocument(3, [], `/Perms<</UR3 ${RIGHTS}>>`))],
]

describe('usage rights without a signature', () => {
  it.each(KINDS)('are kept, and the outcome names the option that removes them (%s)', async (_, bytes) => {
    for (const quality of ['low', 'high'] as const) {
      expect(inEnglish((await press(bytes, quality)).outcome)).toEqual({ kind: 'unchanged', reason: 'signed', detail: DETAIL })
    }
  })

  it.each(KINDS)('are removed on request, and nothing else is removed (%s)', async (_, bytes) => {
    for (const quality of ['low', 'high'] as const) {
      const { outcome, bytes: made } = await press(bytes, quality, { usageRights: 'drop' })
      expect(inEnglish(outcome)).toMatchObject({
        kind: 'compressed',
        steps: expect.arrayContaining([expect.stringContaining('usage rights')]),
      })
      if (outcome.kind !== 'compressed') return
      expect(outcome).not.toHaveProperty('loss')
      expect(textsOf(outcome.steps).join()).not.toContain('thumbnails')
      expect(made.length).toBeLessThan(bytes.length)
      expect(latin1(made)).not.toMatch(/ByteRange|Perms/)
      const options = { quality, output: 'pdf', memoryBudget: 1e8, signal: new AbortController().signal, progress: () => {} } as const
      const inner = { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) as const }
      const verify = (more: object) =>
        pdf.verify(memorySource(bytes, 'a.pdf'), memorySource(made, 'b.pdf'), outcome, { ...options, inner, ...more })
      expect(await verify({ usageRights: 'drop' })).toMatchObject({ equal: true })
      expect(await verify({})).toMatchObject({ equal: false, difference: expect.stringContaining('Perms') })
    }
  })

  it('are kept if the file has another signature, too', async () => {
    const signature = '<</Type/Sig/ByteRange [0 1 2 3]/Contents<00>>>'
    const fields = '/AcroForm<</Fields[10 0 R]>>'
    const signed: [string, Uint8Array][] = [
      ['a field', buildPdf(plainDocument(3, [RIGHTS, `<</FT/Sig/V ${signature}>>`], `/Perms<</UR3 9 0 R>>${fields}`))],
      ['the author', buildPdf(plainDocument(3, [RIGHTS, signature], '/Perms<</UR3 9 0 R/DocMDP 10 0 R>>'))],
      ['an earlier revision', buildPdf(plainDocument(3, [RIGHTS, signature], '/Perms<</UR3 9 0 R>>'))],
      [
        'a field of a catalog with rights',
        buildPdf(plainDocument(3, [], `/Perms<</UR3 ${RIGHTS}>>/AcroForm<</Fields[<</V ${signature}>>]>>`)),
      ],
    ]
    for (const [what, bytes] of signed) {
      const { outcome } = await press(bytes, 'medium', { usageRights: 'drop' })
      expect(outcome, what).toEqual({ kind: 'unchanged', reason: 'signed' })
    }
  })
})
