/** PNG and BMP as JPEG, for users and documents, if the result misses the level. */

import { expect, it } from 'vitest'
import { LEVELS } from '../../../src/core/catalog/levels.ts'
import { recompressPicture } from '../../../src/core/embedded/recompress.ts'
import { bmp } from '../../../src/core/formats/bmp/bmp.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { PerceptualMeter } from '../../../src/core/metrics/perceptual.ts'
import { optionsOf } from '../../../src/core/pipeline/job.ts'
import { JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import { inEnglish } from '../../support/in-english.ts'
import { mockInner, NOTHING_LENT, photo, pngOf, press } from '../../support/packages.ts'
import { bmpFile } from '../../support/picture-files.ts'

const picture = (width: number, height: number, pixel: (x: number, y: number) => readonly number[]) =>
  Uint8Array.from({ length: width * height * 3 }, (_, i) => pixel(Math.floor(i / 3) % width, Math.floor(i / 3 / width))[i % 3] ?? 0)

it.each(['low', 'medium'] as const)('keeps full chroma for a few red strokes at %s', async (level) => {
  const side = 256
  const isStroke = (x: number, y: number) => y > 30 && y < 60 && x > 40 && x < 60 && (x * 3 + y) % 5 === 0
  const pixels = picture(side, side, (x, y) => (isStroke(x, y) ? [160, 0, 0] : [40, 60, 50]))
  const { bytes, outcome } = await press(bmp, bmpFile(side, side, pixels), level, NOTHING_LENT, 'jpg')
  expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: [expect.not.stringContaining('4:2:0')] })
  using rows = await JpegRows.open(bytes, { colour: 'rgb' })
  using meter = new PerceptualMeter(side, side, 3)
  meter.push(pixels, (await rows.read(side))!)
  const { score, worstTile } = meter.finish()
  expect(score).toBeGreaterThanOrEqual(LEVELS.perceptual[level].score)
  expect(worstTile).toBeGreaterThanOrEqual(LEVELS.perceptual[level].worstTile)
})

/** Noise in all three channels, which misses `high` even at quality 95. */
let state = 1
const NOISE = picture(128, 128, () => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
  return [state >>> 24, (state >>> 16) & 255, (state >>> 8) & 255]
})

it('returns a JPEG that misses its level to a user, but not to a document', async () => {
  const file = pngOf(NOISE, 128, 128)
  const { inner } = optionsOf(png.format, { jpg, png }, { quality: 'high' })
  expect(await inner.compress(file, 'a.png', { output: 'jpg' })).toMatchObject({ kind: 'compressed', output: 'jpg' })
  const refused = await inner.compress(file, 'a.png', { output: 'jpg', onlyReached: true })
  expect(refused).toEqual({ kind: 'unchanged', reason: 'unsupported_feature' })
})

it('keeps the PNG of a document if no JPEG reaches the level', async () => {
  const file = pngOf(photo(320, 320), 320, 320)
  const asked: unknown[] = []
  const inner = mockInner((_bytes, _name, { output, onlyReached }) => {
    if (output === 'jpg') asked.push(onlyReached)
    return { kind: 'unchanged', reason: 'unsupported_feature' }
  })
  const kept = await recompressPicture(
    file,
    'a.png',
    { inner, quality: 'low', signal: new AbortController().signal },
    { mayBecomeJpeg: true },
  )
  expect(kept).toBeUndefined()
  expect(asked).toEqual([true])
})
