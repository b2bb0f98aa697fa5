import { describe, expect, test } from 'vitest'
import { BLACK_RUN_CODES, type Code, WHITE_RUN_CODES } from '../../../src/core/bytes/ccitt/codes.ts'
import { decodeFaxRows, type FaxOptions } from '../../../src/core/bytes/ccitt/decode.ts'
import { encodeGroup4 } from '../../../src/core/bytes/ccitt/encode.ts'
import { EngineError } from '../../../wasm/engine-error.ts'

/** Returns rows of bits (0 for white) with runs of all lengths. */
function drawing(width: number, height: number): Uint8Array {
  const rowBytes = (width + 7) >> 3
  const rows = new Uint8Array(rowBytes * height)
  let state = width * 31 + height
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 16
  for (let y = 1; y < height; y++) {
    let x = next() % 9
    while (x < width) {
      const end = Math.min(width, x + 1 + (next() % (y % 5 === 0 ? 3000 : 40)))
      for (; x < end; x++) rows[y * rowBytes + (x >> 3)]! |= 0x80 >> (x & 7)
      x += next() % (y % 3 === 0 ? 3000 : 7)
      x++
    }
    // Some rows are similar to the row above.
    if (y % 4 === 3) rows.copyWithin(y * rowBytes, (y - 1) * rowBytes, y * rowBytes - 1)
  }
  return rows
}

/** Encodes the runs of a row, white first, as a text of bits (T.4, 4.1). */
function oneDimensional(row: Uint8Array, width: number): string {
  const bits = ([value, length]: Code) => value.toString(2).padStart(length, '0')
  let text = ''
  for (let x = 0, black = 0; x < width; black ^= 1) {
    let run = 0
    while (x < width && ((row[x >> 3]! >> (7 - (x & 7))) & 1) === black) {
      run++
      x++
    }
    const codes = black ? BLACK_RUN_CODES : WHITE_RUN_CODES
    for (; run >= 2560; run -= 2560) text += bits(codes[63 + 40]!)
    if (run >= 64) text += bits(codes[63 + (run >> 6)]!)
    text += bits(codes[run & 63]!)
  }
  return text
}

const packed = (text: string) => Uint8Array.from(text.match(/.{1,8}/g) ?? [], (byte) => Number.parseInt(byte.padEnd(8, '0'), 2))
const END_OF_LINE = '000000000001'

function fax(rows: Uint8Array, { kind, twoDimensional, width }: FaxOptions): Uint8Array {
  if (kind === 'g4') return encodeGroup4(rows, width, Number.MAX_SAFE_INTEGER)!
  const rowBytes = (width + 7) >> 3
  let text = ''
  for (let at = 0; at < rows.length; at += rowBytes) {
    const row = oneDimensional(rows.subarray(at, at + rowBytes), width)
    // Every third end-of-line code is preceded by fill bits (T.4, 4.1.3).
    text +=
      kind === 'rle'
        ? row.padEnd(Math.ceil(row.length / 8) * 8, '0')
        : `${at % 3 === 0 ? '00000' : ''}${END_OF_LINE}${twoDimensional ? '1' : ''}${row}`
  }
  return packed(text)
}

function decoded(bytes: Uint8Array, options: FaxOptions): Uint8Array {
  const rows = [...decodeFaxRows(bytes, options)].length
  expect(rows).toBe(options.height)
  return Buffer.concat(Array.from(decodeFaxRows(bytes, options), (row) => row.slice()))
}

const kinds = [
  { kind: 'rle', twoDimensional: false },
  { kind: 'g3', twoDimensional: false },
  { kind: 'g3', twoDimensional: true },
  { kind: 'g4', twoDimensional: false },
] as const

describe('fax', () => {
  for (const kind of kinds) {
    test.each([
      1, 7, 8, 9, 1728, 5201,
    ])(`${kind.kind}${kind.twoDimensional ? ' with tag bits' : ''}: round trip of rows of %i pixels`, (width) => {
      const options = { ...kind, width, height: 37 }
      const rows = drawing(width, options.height)
      expect(Buffer.compare(decoded(fax(rows, options), options), rows)).toBe(0)
    })

    test(`${kind.kind}${kind.twoDimensional ? ' with tag bits' : ''}: damaged data ends quickly with an error or another picture`, () => {
      const options = { ...kind, width: 333, height: 20 }
      const bytes = fax(drawing(options.width, options.height), options)
      let errors = 0
      for (let i = 0; i < 400; i++) {
        const bent = i % 4 === 0 ? bytes.slice(0, (bytes.length * i) / 400) : bytes.slice()
        if (i % 4 > 0) bent[(i * 7919) % bent.length]! ^= 1 << (i & 7)
        try {
          expect([...decodeFaxRows(bent, options)]).toHaveLength(options.height)
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError)
          errors++
        }
      }
      expect(errors).toBeGreaterThan(100)
    })
  }
})
