/** ToUnicode CMaps (ISO 32000-2, 9.10.3) with two-byte codes. */

import { hex } from '../../../bytes/hex.ts'
import { END, Keyword, Lexer } from '../lexer.ts'
import { ascii, latin1, type PdfObject, Str } from '../objects.ts'
import { codeOf } from './cmap.ts'

export interface ToUnicode {
  /** Maps a character code to its text: UTF-16BE as hexadecimal digits. */
  text: Map<number, string>
  /** Lower and upper bounds of code space ranges, as hexadecimal digits. */
  spaces: string[]
}

/** Parses a ToUnicode CMap. `undefined`: it builds on another CMap or has codes that are not two bytes long. */
function parseToUnicode(data: Uint8Array): ToUnicode | undefined {
  const lexer = new Lexer(data, 0, true, false)
  const text = new Map<number, string>()
  const spaces: string[] = []
  let operands: PdfObject[] = []
  for (let token = lexer.next(); token !== END; token = lexer.next()) {
    if (!(token instanceof Keyword)) {
      operands.push(token)
      continue
    }
    if (token.value === 'usecmap') return undefined
    if (token.value === 'endcodespacerange') for (const item of operands) if (item instanceof Str) spaces.push(hex(item.bytes))
    if (token.value === 'endbfchar' && !characters(operands, text)) return undefined
    if (token.value === 'endbfrange' && !ranges(operands, text)) return undefined
    if (/^(begin|end|def$)/.test(token.value)) operands = []
  }
  return { text, spaces }
}

function characters(operands: readonly PdfObject[], text: Map<number, string>): boolean {
  for (let i = 0; i + 1 < operands.length; i += 2) {
    const [code, value] = [operands[i], operands[i + 1]]
    if (!(code instanceof Str) || !(value instanceof Str) || code.bytes.length !== 2) return false
    text.set(codeOf(code), hex(value.bytes))
  }
  return true
}

function ranges(operands: readonly PdfObject[], text: Map<number, string>): boolean {
  for (let i = 0; i + 2 < operands.length; i += 3) {
    const [low, high, value] = [operands[i], operands[i + 1], operands[i + 2]]
    if (!(low instanceof Str) || !(high instanceof Str) || low.bytes.length !== 2) return false
    const [first, last] = [codeOf(low), Math.min(0xffff, codeOf(high))]
    for (let code = first; code <= last; code++) {
      if (Array.isArray(value)) {
        const item = value[code - first]
        if (item instanceof Str) text.set(code, hex(item.bytes))
      } else if (value instanceof Str && value.bytes.length > 0) text.set(code, hex(plus(value.bytes, code - first)))
    }
  }
  return true
}

/** Adds `by` to the big-endian number in `bytes`. In a range, the last code unit of the text counts up. */
function plus(bytes: Uint8Array, by: number): Uint8Array {
  const sum = bytes.slice()
  let carry = by
  for (let i = sum.length - 1; i >= 0 && carry; i--) {
    carry += sum[i]!
    sum[i] = carry & 255
    carry >>= 8
  }
  return sum
}

/** Returns the ToUnicode CMap for these codes only. `undefined`: a code has no mapping, and PDF readers would guess differently. */
export function pruneToUnicode(data: Uint8Array, codes: ReadonlySet<number>): Uint8Array | undefined {
  const map = parseToUnicode(data)
  if (!map || map.spaces.length < 2 || map.spaces.length > 200) return undefined
  const rows: string[] = []
  for (const code of [...codes].sort((a, b) => a - b)) {
    const text = map.text.get(code)
    if (text === undefined) return undefined
    rows.push(`<${code.toString(16).padStart(4, '0')}><${text}>`)
  }
  const spaces = map.spaces.map((bound) => `<${bound}>`).join('')
  let out = `/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def
/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n${map.spaces.length >> 1} begincodespacerange\n${spaces}\nendcodespacerange\n`
  // A section may have at most 100 entries (Adobe Technical Note 5014).
  for (let i = 0; i < rows.length; i += 100) {
    const part = rows.slice(i, i + 100)
    out += `${part.length} beginbfchar\n${part.join('\n')}\nendbfchar\n`
  }
  return ascii(`${out}endcmap\nCMapName currentdict/CMap defineresource pop\nend\nend\n`)
}

/** Compares two ToUnicode CMaps. `undefined`: every code of `after` has the same text in `before`. */
export function toUnicodeDifference(before: Uint8Array, after: Uint8Array): string | undefined {
  const [old, fresh] = [parseToUnicode(before), parseToUnicode(after)]
  if (!old || !fresh) return `the ToUnicode map is not readable: ${latin1(after.subarray(0, 20))}`
  for (const [code, text] of fresh.text) if (old.text.get(code) !== text) return `the text of code ${code} changed`
  return undefined
}
