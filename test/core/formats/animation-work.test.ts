/** The work of an animation is estimated from its headers before any frame is decoded. */

import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { ByteWriter } from '../../../src/core/bytes/writer.ts'
import { gif } from '../../../src/core/formats/gif/gif.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { TimeBudget } from '../../../src/core/model/time-budget.ts'
import { animatedPngSeconds } from '../../../src/core/model/work-estimate.ts'
import { innerCodecs } from '../../../src/core/pipeline/inner.ts'
import { optionsOf } from '../../../src/core/pipeline/job.ts'
import { maxWorkSeconds, PLANS } from '../../../src/service/store/plans.ts'
import { chunk } from '../../../wasm/png/chunks.ts'
import { inEnglish } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'

const u32 = (...values: number[]) => values.reduce((out, value) => out.u32(value), ByteWriter.growing(false))

/** APNG with frames of one colour, all as large as the picture. */
function apng(side: number, frames: number, level = 9): Uint8Array {
  const pieces: Uint8Array[] = [new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])]
  pieces.push(
    chunk(
      'IHDR',
      u32(side, side)
        .bytes(new Uint8Array([8, 6, 0, 0, 0]))
        .finish(),
    ),
  )
  pieces.push(chunk('acTL', u32(frames, 0).finish()))
  const rows = new Uint8Array((side * 4 + 1) * side).fill(90)
  for (let y = 0; y < side; y++) rows[y * (side * 4 + 1)] = 0
  const data = deflateSync(rows, { level })
  let sequence = 0
  for (let frame = 0; frame < frames; frame++) {
    pieces.push(
      chunk(
        'fcTL',
        u32(sequence++, side, side, 0, 0)
          .bytes(new Uint8Array([0, 1, 0, 10, 0, 0]))
          .finish(),
      ),
    )
    pieces.push(frame === 0 ? chunk('IDAT', data) : chunk('fdAT', u32(sequence++).bytes(data).finish()))
  }
  return concat([...pieces, chunk('IEND')])
}

/** GIF whose frames have the size of the canvas and truncated codes; the estimate needs headers only. */
function hugeGif(side: number, frames: number): Uint8Array {
  const word = (value: number) => [value & 255, value >> 8]
  const out = [...new TextEncoder().encode('GIF89a'), ...word(side), ...word(side), 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
  for (let frame = 0; frame < frames; frame++) out.push(0x2c, 0, 0, 0, 0, ...word(side), ...word(side), 0, 2, 1, 0x2c, 0)
  return Uint8Array.from([...out, 0x3b])
}

it('rejects twelve 4-megapixel frames in a small PNG if the caller allows fewer seconds', async () => {
  const file = apng(2000, 12)
  const { outcome } = await pressFile(png, file, 'a.png', { quality: 'medium', maxWorkSeconds: maxWorkSeconds(PLANS.free, file.length) })
  expect(inEnglish(outcome)).toMatchObject({
    kind: 'unchanged',
    reason: 'over_budget',
    detail: expect.stringMatching(/estimated to need 30 CPU seconds, more than the 25 seconds/),
  })
})

it('rejects a GIF with far more pixels than bytes if the caller allows fewer seconds', async () => {
  const { outcome } = await pressFile(gif, hugeGif(2500, 20), 'a.gif', { quality: 'medium', maxWorkSeconds: 19 })
  expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', reason: 'over_budget', detail: expect.stringContaining('20 CPU seconds') })
})

it('has no limit of its own', async () => {
  const { outcome } = await pressFile(gif, hugeGif(2500, 20), 'a.gif', { quality: 'medium' })
  expect(inEnglish(outcome)).not.toMatchObject({ detail: expect.stringContaining('CPU seconds') })
})

it('gives higher plans more seconds, and larger files, too', () => {
  const seconds = animatedPngSeconds(12 * 2000 * 2000 * 4)
  expect(seconds).toBeGreaterThan(maxWorkSeconds(PLANS.basic, 187_501))
  expect(seconds).toBeLessThan(maxWorkSeconds(PLANS.pro, 187_501))
  expect(seconds).toBeLessThan(maxWorkSeconds(PLANS.free, 1_000_000))
})

it.each(['low', 'medium'] as const)('compresses a PNG within the limit to the same bytes as without one: %s', async (quality) => {
  const file = apng(64, 4, 0)
  const limited = await pressFile(png, file, 'a.png', { quality, maxWorkSeconds: maxWorkSeconds(PLANS.free, file.length) })
  const free = await pressFile(png, file, 'a.png', { quality })
  expect(limited.outcome.kind).toBe('compressed')
  expect(limited.bytes).toEqual(free.bytes)
})

it('compresses an animation of usual size', async () => {
  const { outcome } = await pressFile(png, apng(64, 4, 0), 'a.png', { quality: 'medium' })
  expect(outcome.kind).toBe('compressed')
})

it('shares one time budget between all animations of a container (many-embedded-animations)', async () => {
  const file = apng(100, 4)
  const time = new TimeBudget(4.5 * animatedPngSeconds(4 * 100 * 100 * 4))
  const options = optionsOf(png.format, {})
  const inner = innerCodecs({ png }, options, 0, time)
  const refused = []
  for (let at = 0; at < 6; at++) {
    const outcome = await inner.compress(file, `${at}.png`)
    refused.push(outcome.kind === 'unchanged' && outcome.reason === 'over_budget')
  }
  expect([refused[0], refused.at(-1)]).toEqual([false, true])
  expect(time.steps()).toHaveLength(1)
})
