/** Colours of equal luma (Rec. 601) with different hues: luma figures cannot distinguish them, but the receipt must. */
import { describe, expect, it } from 'vitest'
import { gif } from '../../../src/core/formats/gif/gif.ts'
import { GifEngine } from '../../../wasm/gif/gif.ts'
import { gifFile } from '../../support/picture-files.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

const [WIDTH, HEIGHT] = [160, 130]
/** 0.299 R + 0.587 G + 0.114 B is equal: 15 more red and 7 more blue balance 9 less green. */
const PAIR = [
  [100, 100, 100],
  [115, 91, 107],
] as const

/** Random mix of both colours, with a dark strip that every level keeps. */
function mixed(): Uint8Array {
  const random = randomNumbers(5)
  const palette = [...PAIR, [20, 20, 20]].flat()
  const pixels = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => (i < WIDTH * 4 ? 2 : random() < 0.5 ? 0 : 1))
  return gifFile(WIDTH, HEIGHT, [...palette, ...Array.from({ length: 768 - palette.length }, () => 0)], [{ pixels, delay: 0 }])
}

function shown(bytes: Uint8Array): Uint8Array[] {
  using engine = new GifEngine(() => undefined)
  engine.begin('look')
  for (let at = 0; at < bytes.length; ) {
    const { taken, frame } = engine.push(bytes.subarray(at))
    at += taken
    if (frame) break
  }
  return Array.from({ length: HEIGHT }, (_, y) => engine.row(y).slice())
}

describe('GIF whose result differs only in hue', () => {
  it('is not reported as lossless', async () => {
    const file = mixed()
    const { outcome, bytes, defect } = await pressFile(gif, file, 'a.gif', { quality: 'low' })
    expect(defect).toBeUndefined()
    const [before, after] = [shown(file), shown(bytes)]
    expect(
      before.some((row, y) => Buffer.compare(row, after[y]!) !== 0),
      'colours changed',
    ).toBe(true)
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { pictures: { ssim: 1, psnrDb: Number.POSITIVE_INFINITY } } })
  })
})
