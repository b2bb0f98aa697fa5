import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FaxEncoder } from '../../../../src/core/bytes/ccitt/encode.ts'
import { decodeFax } from '../../../../src/core/formats/pdf/images/fax-decode.ts'
import { decodeJbig2, Jbig2Encoder } from '../../../../src/core/formats/pdf/images/jbig2.ts'
import { MqDecoder, MqEncoder } from '../../../../src/core/formats/pdf/images/mq.ts'
import { PdfSyntax } from '../../../../src/core/formats/pdf/objects.ts'

/** Packs pixels into rows. Padding bits are 1, as the decoders write them. */
function rowsOf(width: number, height: number, pixel: (x: number, y: number) => boolean): Uint8Array {
  const rowBytes = (width + 7) >> 3
  const rows = new Uint8Array(rowBytes * height).fill(255)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (pixel(x, y)) rows[y * rowBytes + (x >> 3)]! &= ~(128 >> (x & 7))
  return rows
}

const blot = (x: number, y: number) => (x * y) % 97 < 30 && Math.sin(x / 9) + Math.cos(y / 7) > 0.3

function encoded(width: number, rows: Uint8Array): { fax: Uint8Array; jbig2: Uint8Array } {
  const [fax, jbig2] = [new FaxEncoder(width, 1e7), new Jbig2Encoder(width, 1e7)]
  for (const coder of [fax, jbig2]) coder.push(rows)
  return { fax: fax.end()!, jbig2: jbig2.end()! }
}

describe('MQ coder', () => {
  // Test sequence of the MQ coder and its coded form (ITU-T T.88, annex H.2).
  const PLAIN = '00020051000000c00352872aaaaaaaaa82c02000fcd79ef6bf7fed904f46a3bf'
  const CODE = '84c73bfce1a1430402200000410dbb86f4317fff88ff37471adb6adfffac'

  it('encodes the test sequence of ITU-T T.88', () => {
    const bits = [...Buffer.from(PLAIN, 'hex')].flatMap((byte) => Array.from({ length: 8 }, (_, i) => (byte >> (7 - i)) & 1))
    const coder = new MqEncoder(1, 1000)
    for (const bit of bits) coder.put(0, bit)
    const data = coder.end()
    expect(Buffer.from(data).toString('hex')).toBe(CODE)
    const decoder = new MqDecoder(data, 1)
    expect(bits.map(() => decoder.get(0))).toEqual(bits)
  })

  it('decodes what it encoded, for any contexts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(31), fc.nat(1)), { maxLength: 2000 }), (symbols) => {
        const coder = new MqEncoder(32, 100_000)
        for (const [context, bit] of symbols) coder.put(context, bit)
        const decoder = new MqDecoder(coder.end(), 32)
        for (const [context, bit] of symbols) expect(decoder.get(context)).toBe(bit)
      }),
    )
  })
})

describe('bilevel pictures', () => {
  it.each([1, 2, 7, 8, 9, 31, 64, 333])('of %i pixels width are decoded exactly, from Group 4 and from JBIG2', (width) => {
    const height = 41
    const rows = rowsOf(width, height, (x, y) => blot(x, y) || y % 11 === 3)
    const { fax, jbig2 } = encoded(width, rows)
    expect(new Uint8Array(Buffer.concat([...decodeFax(fax, width, height)]))).toEqual(rows)
    expect(new Uint8Array(Buffer.concat([...decodeJbig2(jbig2, width, height)]))).toEqual(rows)
  })

  it('are smaller as JBIG2 than as Group 4 for halftones', () => {
    const { fax, jbig2 } = encoded(600, rowsOf(600, 600, blot))
    expect(jbig2.length).toBeLessThan(fax.length * 0.8)
  })

  it('are not encoded beyond the byte budget', () => {
    const coder = new Jbig2Encoder(600, 500)
    coder.push(rowsOf(600, 600, blot))
    expect(coder.full).toBe(true)
    expect(coder.end()).toBeUndefined()
  })

  it('of damaged data give an error or wrong pixels, but decoding always ends', () => {
    const [width, height] = [200, 50]
    const { fax, jbig2 } = encoded(width, rowsOf(width, height, blot))
    for (let at = 0; at < Math.min(fax.length, jbig2.length); at += 3) {
      for (const [data, decode] of [
        [fax, decodeFax],
        [jbig2, decodeJbig2],
      ] as const) {
        const broken = data.slice()
        broken[at] = broken[at]! ^ 0x5a
        try {
          expect([...decode(broken, width, height)].length).toBe(height)
        } catch (error) {
          expect(error).toBeInstanceOf(PdfSyntax)
        }
      }
    }
    expect(() => [...decodeJbig2(jbig2.subarray(0, 30), width, height)]).toThrow(PdfSyntax)
  })
})
