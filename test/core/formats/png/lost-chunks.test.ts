/** Chunks that are unsafe to copy: a result without them is not lossless, unless they only described the stored form. */

import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import { fidelityOf } from '../../../../src/core/model/codec.ts'
import { chunk } from '../../../../wasm/png/chunks.ts'
import { textsOf } from '../../../support/in-english.ts'
import { photo, pngOf } from '../../../support/packages.ts'
import { pressFile } from '../../../support/press-file.ts'

const SIDE = 64

/** A photograph, and a drawing whose few colours a palette represents exactly. */
const PICTURES = {
  photograph: photo(SIDE, SIDE),
  drawing: photo(SIDE, SIDE).map((_, i) => (((Math.floor(i / 3) % SIDE) * Math.floor(i / 3 / SIDE)) % 5) * 60),
}
const pictureWith = (name: keyof typeof PICTURES, type: string) => {
  const file = pngOf(PICTURES[name], SIDE, SIDE)
  return concat([file.subarray(0, 33), chunk(type, new Uint8Array(8)), file.subarray(33)])
}

describe.each(['photograph', 'drawing'] as const)('a %s', (name) => {
  it('is not lossless without its mkBT chunk, with the figures of equal samples', async () => {
    const { outcome, defect } = await pressFile(png, pictureWith(name, 'mkBT'), 'a.png', { quality: 'high' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { pictures: { ssim: 1, psnrDb: Number.POSITIVE_INFINITY } } })
    expect(outcome.kind === 'compressed' && textsOf(outcome.steps)).toContain('not kept (chunk types): mkBT')
  })

  it.each(['medium', 'low'] as const)('is not lossless at %s either', async (quality) => {
    const { outcome, defect } = await pressFile(png, pictureWith(name, 'mkBT'), 'a.png', { quality })
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    expect(fidelityOf(outcome)).toBe('perceptual')
    expect(outcome.kind === 'compressed' && textsOf(outcome.steps)).toContain('not kept (chunk types): mkBT')
  })

  it('stays unchanged if a lossless result is requested', async () => {
    const { outcome } = await pressFile(png, pictureWith(name, 'mkBT'), 'a.png', { lossless: true })
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('is lossless without iDOT, which only has offsets into the old image data', async () => {
    const { outcome } = await pressFile(png, pictureWith(name, 'iDOT'), 'a.png', { quality: 'high' })
    expect(outcome.kind).toBe('compressed')
    expect(fidelityOf(outcome)).toBe('lossless')
    expect(outcome.kind === 'compressed' && textsOf(outcome.steps)).toContain(
      'left out because they do not match the new pixel data (chunk types): iDOT',
    )
  })
})
