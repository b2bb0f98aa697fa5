import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Sha256 } from '../../../src/core/bytes/sha256.ts'

const native = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('resumable SHA-256', () => {
  it('equals the platform’s, for every length around a block and any pieces', () => {
    for (let length = 0; length < 200; length++) {
      const bytes = new Uint8Array(length).fill(length)
      expect(new Sha256().update(bytes).hex()).toBe(native(bytes))
    }
    const pieces = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 12 })
    fc.assert(
      fc.property(pieces, (all) => {
        let hash = new Sha256()
        for (const piece of all) {
          hash.update(piece)
          hash.hex() // reading the hash does not change the state
          hash = Sha256.from(structuredClone(hash.state()))
        }
        expect(hash.hex()).toBe(native(Buffer.concat(all)))
      }),
    )
  })

  it('hashes data longer than 512 MB', () => {
    const state = new Sha256().state()
    const block = new Uint8Array(1 << 20)
    let [ours, theirs] = [Sha256.from(state), createHash('sha256')]
    for (let i = 0; i < 3; i++) {
      ours = ours.update(block)
      theirs = theirs.update(block)
    }
    expect(ours.hex()).toBe(theirs.digest('hex'))
    // Lengths from 2³² bits on need the upper word. The last eight bytes of the state count bytes.
    const long = ours.state()
    new DataView(long.buffer).setBigUint64(96, 2n ** 32n)
    const short = ours.state()
    new DataView(short.buffer).setBigUint64(96, 0n)
    expect(Sha256.from(long).hex()).not.toBe(Sha256.from(short).hex())
  })

  it('rejects an invalid state', () => {
    expect(() => Sha256.from(new Uint8Array(32))).toThrow('a SHA-256 state has 104 bytes')
  })
})
