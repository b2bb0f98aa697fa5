import { expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows } from '../../../../wasm/jpeg/jpeg.ts'
import { randomNumbers } from '../../../support/random-numbers.ts'

const [WIDTH, HEIGHT] = [480, 384]

/** Chart of two random walks in strong colours, one pixel wide, on white. */
function chart(): Uint8Array {
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3).fill(255)
  const random = randomNumbers(7)
  const colours = [
    [234, 147, 147],
    [143, 187, 217],
  ]
  for (const colour of colours) {
    let y = Math.floor(HEIGHT * random())
    for (let x = 30; x < WIDTH - 30; x++) {
      const to = Math.min(HEIGHT - 9, Math.max(8, y + Math.round((random() - 0.5) * 24)))
      for (let at = Math.min(y, to); at <= Math.max(y, to); at++) pixels.set(colour, (at * WIDTH + x) * 3)
      y = to
    }
  }
  return pixels
}

it('keeps full chroma if halving it costs more in finer steps than it saves, so that medium ≤ high', async () => {
  const { chunks } = await encodeRows(
    { width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 93, scans: 'sequential', subsampled: false },
    [chart()],
  )
  const file = concat(chunks)
  const sizes: number[] = []
  for (const quality of ['low', 'medium', 'high'] as const) {
    const sink = memorySink(file.length, 'chart.jpg')
    const outcome = await jpg.compress(memorySource(file, 'chart.jpg'), sink, {
      quality,
      output: 'jpg',
      memoryBudget: 96 << 20,
      signal: new AbortController().signal,
      progress: () => undefined,
      inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
    })
    expect(outcome.kind).toBe('compressed')
    sizes.push(sink.written)
  }
  const [low = 0, medium = 0, high = 0] = sizes
  expect(low).toBeLessThan(medium)
  expect(medium).toBeLessThan(high)
})
