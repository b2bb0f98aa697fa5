import { describe, expect, it } from 'vitest'
import { Canvas } from '../../../src/core/formats/webp/canvas.ts'
import { webp } from '../../../src/core/formats/webp/webp.ts'
import { chunk, webpChunks } from '../../../src/core/images/webp/container.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { type JobRequest, optionsOf } from '../../../src/core/pipeline/job.ts'
import { inEnglish } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'
import { type AnimationFrame, animationOf, webpOf } from '../../support/webp-file.ts'
import { photo } from './jpg/photo.ts'

const CANVAS = { width: 120, height: 90 }
const press = (bytes: Uint8Array, request: JobRequest = {}) => pressFile(webp, bytes, 'a.webp', { quality: 'medium', ...request })

/** Frame with a photograph. `quality` `undefined`: lossless. */
function frame(x: number, y: number, side: number, quality?: number, more: Partial<AnimationFrame> = {}): AnimationFrame {
  const size = { width: side, height: side }
  return { file: webpOf(photo(side, side, 3), { ...size, channels: 3 }, quality), x, y, ...size, ...more }
}

const mixed = animationOf(CANVAS, [
  { file: webpOf(photo(120, 90, 3), { ...CANVAS, channels: 3 }, 97), x: 0, y: 0, ...CANVAS },
  frame(10, 6, 64, 97, { milliseconds: 40, flags: 1 }),
  frame(40, 20, 66, undefined, { milliseconds: 70, others: [chunk('NOTE', Uint8Array.of(1, 2, 3))] }),
])

describe('animated WebP', () => {
  it('encodes frames again: smaller, above the floors, levels in order, times and places unchanged', async () => {
    const sizes: number[] = []
    for (const quality of ['high', 'medium', 'low'] as const satisfies readonly Quality[]) {
      const { outcome, bytes, defect } = await press(mixed, { quality })
      expect(defect).toBeUndefined()
      expect(outcome).toMatchObject({ kind: 'compressed', inventory: { frames: 3, delays: 3, loop: 1, chunks: 1 } })
      if (outcome.kind === 'compressed' && outcome.loss) expect(outcome.loss.pictures?.psnrDb).toBeGreaterThanOrEqual(30)
      const headers = (file: Uint8Array) => webpChunks(file).map(({ name, data }) => [name, ...data.subarray(0, name === 'ANMF' ? 16 : 10)])
      expect(headers(bytes)).toEqual(headers(mixed))
      sizes.push(bytes.length)
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    expect(sizes[0]!).toBeLessThan(mixed.length)
  })

  it('keeps lossless frames exact at high', async () => {
    const original = animationOf(CANVAS, [frame(0, 0, 64), frame(20, 20, 64)])
    const { outcome, bytes } = await press(original, { quality: 'high' })
    expect(outcome).toMatchObject({ kind: 'compressed' })
    expect(outcome).not.toHaveProperty('loss')
    expect(JSON.stringify(inEnglish(outcome))).toContain('2 of 2 frames encoded again, 2 of them losslessly')
    expect(bytes.length).toBeLessThan(original.length)
  })

  it('stays unchanged if no frame becomes smaller', async () => {
    const { bytes } = await press(mixed, { quality: 'low' })
    const again = await press(bytes, { quality: 'high' })
    expect(inEnglish(again.outcome)).toMatchObject({
      reason: 'no_gain',
      detail: 'no frame of the animation becomes smaller within the quality level',
    })
  })

  it('reaches a target size, or names the best size', async () => {
    const targetSize = Math.round(mixed.length * 0.7)
    const { outcome, bytes } = await press(mixed, { targetSize })
    expect(outcome.kind).toBe('compressed')
    expect(bytes.length).toBeLessThanOrEqual(targetSize)
    await expect(press(mixed, { targetSize: 300 })).rejects.toMatchObject({ name: 'TargetUnreachable' })
  })

  it('detects another time, another place, a lost frame, and other pixels', async () => {
    const original = animationOf(CANVAS, [frame(0, 0, 64), frame(20, 20, 64)])
    const options = optionsOf(webp.format, {}, { quality: 'high' })
    const verdict = (result: Uint8Array) =>
      webp.verify(memorySource(original, 'a.webp'), memorySource(result, 'a.webp'), { kind: 'compressed', steps: [] }, options)
    expect(await verdict(original)).toEqual({ equal: true })
    for (const frames of [
      [frame(0, 0, 64, undefined, { milliseconds: 101 }), frame(20, 20, 64)],
      [frame(0, 0, 64), frame(22, 20, 64)],
      [frame(0, 0, 64)],
      [frame(0, 0, 64), frame(20, 20, 64, 80)],
    ])
      expect((await verdict(animationOf(CANVAS, frames))).equal).toBe(false)
  })
})

describe('canvas of an animation', () => {
  const solid = (pixel: readonly number[], width: number, height: number) => ({
    width,
    height,
    channels: 4 as const,
    async *rows() {
      yield Uint8Array.from({ length: width * height * 4 }, (_, i) => pixel[i % 4]!)
    },
  })
  const pixelAt = (canvas: Canvas, x: number, y: number) => [
    ...canvas.pixels.subarray((y * canvas.width + x) * 4, (y * canvas.width + x) * 4 + 4),
  ]

  it('draws over, replaces and disposes as RFC 9649 says', async () => {
    const canvas = new Canvas({ width: 4, height: 4 })
    await canvas.draw({ x: 0, y: 0, blends: true, disposes: false }, solid([200, 100, 0, 255], 4, 4))
    await canvas.draw({ x: 2, y: 2, blends: true, disposes: true }, solid([0, 0, 0, 128], 2, 2))
    expect(pixelAt(canvas, 0, 0)).toEqual([200, 100, 0, 255])
    expect(pixelAt(canvas, 3, 3)).toEqual([99, 49, 0, 255])
    await canvas.draw({ x: 0, y: 0, blends: false, disposes: false }, solid([1, 2, 3, 4], 2, 2))
    expect(pixelAt(canvas, 0, 0)).toEqual([1, 2, 3, 4])
    expect(pixelAt(canvas, 3, 3)).toEqual([0, 0, 0, 0])
    await canvas.draw({ x: 2, y: 2, blends: true, disposes: false }, solid([9, 8, 7, 50], 2, 2))
    expect(pixelAt(canvas, 3, 3)).toEqual([9, 8, 7, 50])
  })
})
