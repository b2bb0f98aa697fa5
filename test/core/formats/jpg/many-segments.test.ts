/** JPEG files with thousands of segments, each of which uses more memory than its own bytes. */

import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import { lateSegments } from '../../../../src/core/formats/jpg/segments.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { jpegOf, photo, press } from '../../../support/packages.ts'

const comment = (text: string) =>
  Uint8Array.from([0xff, 0xfe, 0, text.length + 2, ...text].map((one) => (typeof one === 'string' ? one.charCodeAt(0) : one)))

/** Photograph with `times` comments. */
async function commented(times: number): Promise<Uint8Array> {
  const file = await jpegOf(photo(64, 64), 64, 64)
  return concat([file.subarray(0, 2), ...Array.from({ length: times }, (_, i) => comment(`${i}`)), file.subarray(2)])
}

describe('JPEG of many segments', () => {
  it('is rejected with 100,000 comments, whose 14 MB would exhaust the heap of an isolate', async () => {
    expect(inEnglish((await press(jpg, await commented(100_000), 'medium')).outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'over_budget',
      detail: expect.stringContaining('20000 metadata segments'),
    })
  })

  it('is rejected with 100,000 comments between its scans', async () => {
    const places = Array.from({ length: 20_001 }, (_, i) => ({ offset: 4 * i, length: 4 }))
    await expect(lateSegments(memorySource(new Uint8Array(80_004), 'a.jpg'), places)).rejects.toThrow('20000 metadata segments')
  })

  it('keeps each of several thousand comments', async () => {
    const file = await commented(3000)
    const { outcome, bytes } = await press(jpg, file, 'medium')
    expect(outcome.kind).toBe('compressed')
    for (const i of [0, 1, 1499, 2999]) expect(Buffer.from(bytes).includes(comment(`${i}`)), String(i)).toBe(true)
  })
})
