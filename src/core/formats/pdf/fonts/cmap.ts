/** CMaps (ISO 32000-2, 9.7.5), which map the bytes of a string to character codes and CIDs. */
import { END, Keyword, Lexer } from '../lexer.ts'
import { type PdfObject, Str } from '../objects.ts'

export interface CMap {
  /** Character code at byte offset `at`, and its length in bytes. The code is −1 if the bytes are outside of every code space range. */
  next(bytes: Uint8Array, at: number): [code: number, length: number]
  cid(code: number, length: number): number
}

/** The CMaps Identity-H and Identity-V: codes of two bytes that equal their CIDs. */
export const IDENTITY_CMAP: CMap = {
  next: (bytes, at) => [(bytes[at]! << 8) | (bytes[at + 1] ?? 0), 2],
  cid: (code) => code,
}

interface Range {
  low: number
  high: number
  cid: number
}

const MAX_RANGES = 100_000

/** Value of a string as a big-endian number. */
export function codeOf(text: Str): number {
  let value = 0
  for (const byte of text.bytes) value = value * 256 + byte
  return value
}

/** Parses a CMap. `undefined`: PDF readers disagree about it, because it mixes code lengths or builds on another CMap. */
export function parseCMap(data: Uint8Array): CMap | undefined {
  const lexer = new Lexer(data, 0, true, false)
  const spaces: { low: Uint8Array; high: Uint8Array }[] = []
  const ranges: Range[] = []
  const single = new Map<number, number>()
  let operands: PdfObject[] = []
  for (let token = lexer.next(); token !== END; token = lexer.next()) {
    if (!(token instanceof Keyword)) {
      operands.push(token)
      continue
    }
    switch (token.value) {
      case 'usecmap':
        return undefined
      case 'endcodespacerange':
        for (let i = 0; i + 1 < operands.length; i += 2) {
          const [low, high] = [operands[i], operands[i + 1]]
          if (low instanceof Str && high instanceof Str) spaces.push({ low: low.bytes, high: high.bytes })
        }
        break
      case 'endcidrange':
        for (let i = 0; i + 2 < operands.length; i += 3) {
          const [low, high, cid] = [operands[i], operands[i + 1], operands[i + 2]]
          if (low instanceof Str && high instanceof Str && typeof cid === 'number')
            ranges.push({ low: codeOf(low), high: codeOf(high), cid })
        }
        if (ranges.length > MAX_RANGES) return undefined
        break
      case 'endcidchar':
        for (let i = 0; i + 1 < operands.length; i += 2) {
          const [code, cid] = [operands[i], operands[i + 1]]
          if (code instanceof Str && typeof cid === 'number') single.set(codeOf(code), cid)
        }
        break
      default:
        if (!token.value.startsWith('begin') && token.value !== 'def') continue
    }
    operands = []
  }
  const length = spaces[0]?.low.length ?? 0
  if (length < 1 || length > 4 || spaces.some((space) => space.low.length !== length || space.high.length !== length)) return undefined
  ranges.sort((a, b) => a.low - b.low)
  return {
    next(bytes, at) {
      let code = 0
      for (let i = 0; i < length; i++) code = code * 256 + (bytes[at + i] ?? 0)
      const inside = spaces.some(({ low, high }) =>
        low.every((byte, i) => (bytes[at + i] ?? 0) >= byte && (bytes[at + i] ?? 0) <= high[i]!),
      )
      return [inside ? code : -1, length]
    },
    cid(code) {
      return single.get(code) ?? inRanges(ranges, code)
    },
  }
}

/**
 * CID of a code in sorted ranges; 0 if none contains it. A binary search finds the last candidate; up to seven ranges before it may
 * overlap.
 */
function inRanges(ranges: readonly Range[], code: number): number {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[middle]!.low <= code) low = middle + 1
    else high = middle
  }
  for (let i = low - 1; i >= 0 && i >= low - 8; i--) if (code <= ranges[i]!.high) return ranges[i]!.cid + code - ranges[i]!.low
  return 0
}
