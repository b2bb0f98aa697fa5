import { expect, it } from 'vitest'
import { png } from '../../../../src/core/formats/png/png.ts'
import { PngEncoder, QUICK_EFFORT } from '../../../../wasm/png/png.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { pressFile } from '../../../support/press-file.ts'

it('gives transparent ground index 0, so that runs continue over filter bytes', async () => {
  const side = 200
  using encoder = new PngEncoder({ width: side, height: side, colourType: 6, bitDepth: 8 }, QUICK_EFFORT)
  for (let y = 0; y < side; y++) {
    const row = new Uint8Array(side * 4)
    for (let x = 0; x < side; x++) row[x * 4 + 3] = Math.max(0, Math.min(255, 1500 - 130 * Math.abs(Math.hypot(x - 100, y - 100) - 60)))
    encoder.writeRow(row)
  }
  const { outcome, bytes } = await pressFile(png, Buffer.concat(encoder.finish()), 'ink.png', { quality: 'low' })
  expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: expect.arrayContaining([expect.stringContaining('palette of')]) })
  expect(bytes[Buffer.from(bytes).indexOf('tRNS') + 4]).toBe(0)
})
