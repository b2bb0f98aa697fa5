import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { concat } from '../../../src/bytes/concat.ts'
import { memorySink } from '../../../src/codec/sink.ts'
import { memorySource, readAll } from '../../../src/codec/source.ts'
import { png } from '../../../src/formats/png/png.ts'
import { compress } from '../../../src/pipeline/compress.ts'
import { PngEncoder, QUICK } from '../../../wasm/png/png.ts'

const SIDE = 110

/** Rings with a fringe of many colours, as a plot has them. */
function rings(): Uint8Array {
  using encoder = new PngEncoder({ width: SIDE, height: SIDE, colourType: 2, bitDepth: 8 }, QUICK)
  for (let y = 0; y < SIDE; y++) {
    const row = new Uint8Array(SIDE * 3)
    for (let x = 0; x < SIDE; x++) {
      const away = Math.hypot(x - 90, y - 70) % 23
      row.set(away < 3 ? [away * 80, x, y] : [255, 255, 255], x * 3)
    }
    encoder.writeRow(row)
  }
  return concat(encoder.finish())
}

async function pressedAt(depth: number, file: Uint8Array) {
  const options = {
    quality: 'high' as const,
    memoryBudget: 96 * 1024 * 1024,
    signal: new AbortController().signal,
    progress: () => undefined,
    output: 'png' as const,
    inner: { depth, compress: async () => ({ kind: 'unchanged' as const, reason: 'no_gain' as const }) },
  }
  const pressing = await compress(png, memorySource(file, 'a.png'), async () => memorySink(file.length, 'a.png'), options)
  expect(pressing).not.toHaveProperty('defect')
  return { outcome: pressing.outcome, bytes: await readAll(pressing.result!) }
}

/** With their filters. */
function rowsOf(bytes: Uint8Array): Buffer {
  const file = Buffer.from(bytes)
  const data: Buffer[] = []
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)))
  }
  return inflateSync(Buffer.concat(data))
}

test('an uploaded picture of few rows is deflated once more, one inside of a document is not', async () => {
  const file = rings()
  const [uploaded, inside] = [await pressedAt(0, file), await pressedAt(1, file)]
  expect(uploaded.outcome).toMatchObject({ steps: expect.arrayContaining(['filters chosen per band, deflate parsed optimally']) })
  expect(inside.outcome).toMatchObject({ steps: expect.arrayContaining(['filters chosen per band, deflate level 12']) })
  expect(uploaded.bytes.length).toBeLessThan(inside.bytes.length)
  // Node's zlib holds the checksum against the rows; they are the same.
  expect(rowsOf(uploaded.bytes)).toEqual(rowsOf(inside.bytes))
})
