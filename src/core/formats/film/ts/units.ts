/** Units of H.264 and HEVC in a byte stream (Rec. ITU-T H.264, annex B), and with their sizes (ISO/IEC 14496-15). */

/** Yields the start and end of each unit behind its start code. Zeros at the end of a unit do not belong to it. */
export function* unitsIn(bytes: Uint8Array): Generator<readonly [from: number, to: number]> {
  let from = -1
  for (let i = 0; i + 2 < bytes.length; ) {
    if (bytes[i + 2]! > 1) i += 3
    else if (bytes[i + 2] === 1 && bytes[i] === 0 && bytes[i + 1] === 0) {
      if (from >= 0) yield [from, endOf(bytes, from, i)]
      from = i + 3
      i += 3
    } else i++
  }
  if (from >= 0) yield [from, endOf(bytes, from, bytes.length)]
}

function endOf(bytes: Uint8Array, from: number, end: number): number {
  let to = end
  while (to > from && bytes[to - 1] === 0) to--
  return to
}

/** Returns the units with sizes of four bytes instead of start codes. `size`: bytes of the result. */
export function withSizes(bytes: Uint8Array, size: number, isStored: (firstByte: number) => boolean): Uint8Array {
  const out = new Uint8Array(size)
  const view = new DataView(out.buffer)
  let at = 0
  for (const [from, to] of unitsIn(bytes)) {
    if (!isStored(bytes[from] ?? 0)) continue
    if (at + 4 + to - from > size) break
    view.setUint32(at, to - from)
    out.set(bytes.subarray(from, to), at + 4)
    at += 4 + to - from
  }
  return out.subarray(0, at)
}
