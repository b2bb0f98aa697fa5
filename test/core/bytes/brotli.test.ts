import { expect, test } from 'vitest'
import { brotliStream, unbrotliStream } from '../../../src/core/bytes/brotli.ts'
import { concat } from '../../../src/core/bytes/concat.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const found: Uint8Array[] = []
  for await (const piece of pieces) found.push(piece)
  return concat(found)
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

test('finds a repetition after 3 MB', async () => {
  const random = randomNumbers(1)
  const noise = Uint8Array.from({ length: 50_000 }, () => random() * 256)
  const file = concat([noise, new Uint8Array(3 << 20), noise])
  const packed = await all(brotliStream(whole(file), file.length))
  expect(packed.length).toBeLessThan(noise.length * 1.1)
  expect(Buffer.compare(await all(unbrotliStream(whole(packed), file.length)), file)).toBe(0)
})
