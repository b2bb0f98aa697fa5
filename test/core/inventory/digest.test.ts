/** Digests of the inventory, compared with Node's SHA-256. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Digest, digestOf, digestOfStream } from '../../../src/core/inventory/digest.ts'

const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

it('gives the same digest for bytes at once, in pieces and as a stream', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(300), async (bytes, cut) => {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)]
      const digest = new Digest()
      for (const piece of pieces) digest.update(piece)
      const digests = [digestOf(bytes), digest.finish(), await digestOfStream(new Blob(pieces).stream())]
      expect(digests).toEqual(Array(3).fill(expected(bytes)))
    }),
  )
})

it('takes texts as UTF-8', () => {
  expect(new Digest().update('Wörter, 文字').update(' 🖼').finish()).toBe(expected(Buffer.from('Wörter, 文字 🖼')))
})
