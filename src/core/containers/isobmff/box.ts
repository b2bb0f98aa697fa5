/**
 * Boxes of ISO base media files (ISO/IEC 14496-12, 4.2) and atoms of QuickTime, in memory.
 * Functions whose name ends with `At` read a number at an offset. `words`, `halfWords` and `words64` write numbers.
 */

import { discard } from '../../../../wasm/memories/discard.ts'
import { concat } from '../../bytes/concat.ts'
import { ByteWriter } from '../../bytes/writer.ts'

export interface Box {
  readonly type: string
  /** File or buffer offset of the box header. */
  readonly start: number
  /** Offset of the first byte after the box header. */
  readonly body: number
  readonly end: number
}

export const u16At = (b: Uint8Array, at: number) => (b[at]! << 8) | b[at + 1]!
export const u32At = (b: Uint8Array, at: number) => ((b[at]! << 24) | (b[at + 1]! << 16) | (b[at + 2]! << 8) | b[at + 3]!) >>> 0
export const i32At = (b: Uint8Array, at: number) => u32At(b, at) | 0
export const u64At = (b: Uint8Array, at: number) => u32At(b, at) * 2 ** 32 + u32At(b, at + 4)
export const i64At = (b: Uint8Array, at: number) => i32At(b, at) * 2 ** 32 + u32At(b, at + 4)
export const typeAt = (b: Uint8Array, at: number) => String.fromCharCode(b[at] ?? 0, b[at + 1] ?? 0, b[at + 2] ?? 0, b[at + 3] ?? 0)

/**
 * Yields the boxes between `start` and `end`. Stops at the first box that does not fit, because QuickTime ends some lists with four zeros.
 */
export function* boxes(b: Uint8Array, start: number, end: number): Generator<Box> {
  let at = start
  while (at + 8 <= end) {
    let size = u32At(b, at)
    let header = 8
    if (size === 1 && at + 16 <= end) {
      size = u64At(b, at + 8)
      header = 16
    } else if (size === 0) size = end - at
    if (size < header || at + size > end) return
    yield { type: typeAt(b, at + 4), start: at, body: at + header, end: at + size }
    at += size
  }
}

/** Follows `path` from `within`, one box type a level, and returns the last box. Takes the first box of each type. */
export function findBox(b: Uint8Array, within: { body: number; end: number }, ...path: string[]): Box | undefined {
  let found: Box | undefined
  let range = within
  for (const type of path) {
    found = undefined
    for (const box of boxes(b, range.body, range.end)) {
      if (box.type === type) {
        found = box
        break
      }
    }
    if (!found) return undefined
    range = found
  }
  return found
}

/** Writes big-endian 16-bit numbers. */
export function halfWords(...values: number[]): Uint8Array {
  const out = new ByteWriter(new Uint8Array(values.length * 2), false)
  for (const value of values) out.u16(value)
  return out.finish()
}

/** Writes big-endian 32-bit numbers. */
export const words = (...values: number[]): Uint8Array => wordsOf(values)

/** Writes big-endian 32-bit numbers from an array. Spreading a long table into `words` would overflow the call stack. */
export function wordsOf(values: readonly number[] | Uint32Array): Uint8Array {
  const out = new ByteWriter(new Uint8Array(values.length * 4), false)
  for (const value of values) out.u32(value)
  return out.finish()
}

export function words64(...values: number[]): Uint8Array {
  const out = new ByteWriter(new Uint8Array(values.length * 8), false)
  for (const value of values) out.u64(Math.round(value))
  return out.finish()
}

export const latin1Bytes = (value: string) => Uint8Array.from(value, (letter) => letter.charCodeAt(0))

export const box = (type: string, ...parts: Uint8Array[]): Uint8Array => boxOf(type, parts)

/** Writes a box from an array of parts. Spreading many parts into `box` would overflow the call stack. */
export function boxOf(type: string, parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 8)
  return concat([words(size), latin1Bytes(type), ...parts])
}

/** Writes a box with version and flags (ISO/IEC 14496-12, 4.2, FullBox). */
export const fullBox = (type: string, versionAndFlags: number, ...parts: Uint8Array[]) => boxOf(type, [words(versionAndFlags), ...parts])

/**
 * Writes a box as `boxOf` does, and frees the buffers of `parts` except views of larger buffers. Callers must not use `parts` afterwards.
 */
export function boxFreeingParts(type: string, parts: readonly Uint8Array[]): Uint8Array {
  const whole = boxOf(type, parts)
  parts.forEach(discard)
  return whole
}

/** Copies the children of a box. `change` returns a new child, `undefined` to keep the old one or `null` to drop it. */
export function rebuild(
  b: Uint8Array,
  within: { body: number; end: number },
  change: (child: Box) => Uint8Array | null | undefined,
): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (const child of boxes(b, within.body, within.end)) {
    const changed = change(child)
    if (changed === undefined) parts.push(b.subarray(child.start, child.end))
    else if (changed) parts.push(changed)
  }
  return parts
}
