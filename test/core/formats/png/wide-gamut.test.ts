/** Wide-gamut colours of a PNG, given by code points or chromaticities: AVIF keeps the code points, JPEG and WebP get an ICC profile. */

import { describe, expect, it } from 'vitest'
import { metadataOf } from '../../../../src/core/formats/jpg/carried.ts'
import { readHeader } from '../../../../src/core/formats/jpg/segments.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import { webpChunks } from '../../../../src/core/images/webp/container.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { chunk } from '../../../../wasm/png/chunks.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { plainPng } from '../../../support/plain-png.ts'
import { pressFile } from '../../../support/press-file.ts'

const P3 = chunk('cICP', Uint8Array.of(12, 13, 0, 1))
const longs = (...values: number[]) => Uint8Array.from(values.flatMap((value) => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255)))
/** Chromaticities of Adobe RGB (1998): white, red, green, blue; and its exponent. */
const ADOBE = [chunk('cHRM', longs(31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000)), chunk('gAMA', longs(45471))]
const picture = (...more: Uint8Array[]) =>
  plainPng(
    { width: 128, height: 96, colourType: 2, bitDepth: 8 },
    (x, y) => [0, 1, 2].map((c) => Math.round(128 + 80 * Math.sin(x / 30 + c) * Math.cos(y / 25) + 20 * Math.sin(x / 4 + y / 3))),
    ...more,
  )

/** ICC profile of a result. */
async function profileOf(file: Uint8Array, output: 'jpg' | 'webp'): Promise<Uint8Array | undefined> {
  if (output === 'webp') return webpChunks(file).find(({ name }) => name === 'ICCP')?.data
  return metadataOf(await readHeader(memorySource(file, 'a.jpg'), { memoryBudget: 9e7 })).icc
}

/** XYZ values of a profile tag, times 10,000. */
function xyz(profile: Uint8Array, tag: string): number[] {
  const view = new DataView(profile.buffer, profile.byteOffset)
  const at = Buffer.from(profile).indexOf(tag)
  const data = view.getUint32(at + 4)
  return [8, 12, 16].map((field) => Math.round((view.getInt32(data + field) / 65536) * 10_000))
}

describe('wide gamut', () => {
  it('writes cICP as nclx property of AVIF, without a profile', async () => {
    const { outcome, bytes, defect } = await pressFile(png, picture(P3), 'p3.png', { output: 'avif' })
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.not.arrayContaining([expect.stringContaining('not kept')]),
    })
    const at = Buffer.from(bytes).indexOf('nclx')
    expect([...bytes.subarray(at + 4, at + 11)]).toEqual([0, 12, 0, 13, 0, 6, 0x80])
    expect(Buffer.from(bytes).includes('prof')).toBe(false)
  })

  it.each(['jpg', 'webp'] as const)('converts cICP to an ICC profile of Display P3 in %s', async (output) => {
    const { outcome, bytes, defect } = await pressFile(png, picture(P3), 'p3.png', { output })
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.not.arrayContaining([expect.stringContaining('not kept')]),
    })
    const profile = (await profileOf(bytes, output))!
    // Colorants of Apple's Display P3 profile.
    for (const [tag, expected] of [
      ['rXYZ', [5151, 2412, -10]],
      ['gXYZ', [2920, 6922, 419]],
      ['bXYZ', [1571, 666, 7841]],
    ] as const)
      xyz(profile, tag).forEach((value, i) => {
        expect(Math.abs(value - expected[i]!)).toBeLessThan(6)
      })
  })

  it.each(['jpg', 'webp', 'avif'] as const)('converts cHRM and gAMA to an ICC profile in %s', async (output) => {
    const { outcome, bytes, defect } = await pressFile(png, picture(...ADOBE), 'adobe.png', { output })
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: expect.not.arrayContaining([expect.stringContaining('cHRM')]) })
    const at = Buffer.from(bytes).indexOf('acsp') - 36
    expect(at).toBeGreaterThan(0)
    const profile = bytes.subarray(at).slice()
    // Colorants of Adobe RGB (1998) adapted to D50.
    for (const [tag, expected] of [
      ['rXYZ', [6097, 3111, 195]],
      ['gXYZ', [2053, 6257, 609]],
    ] as const)
      xyz(profile, tag).forEach((value, i) => {
        expect(Math.abs(value - expected[i]!)).toBeLessThan(8)
      })
  })

  it('adds no profile for sRGB', async () => {
    const { bytes } = await pressFile(png, picture(chunk('cICP', Uint8Array.of(1, 13, 0, 1))), 'srgb.png', { output: 'webp' })
    expect(await profileOf(bytes, 'webp')).toBeUndefined()
  })

  it('rejects colours without a matching profile, and samples of narrow range', async () => {
    for (const points of [Uint8Array.of(9, 17, 0, 1), Uint8Array.of(12, 13, 0, 0)])
      expect((await pressFile(png, picture(chunk('cICP', points)), 'a.png', { output: 'jpg' })).outcome).toMatchObject({
        kind: 'unchanged',
        reason: 'unsupported_feature',
      })
  })
})
