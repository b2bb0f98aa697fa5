/** Pictures in other formats that a PNG can represent completely. */
import type { AncillaryChunk } from '../../../wasm/png/png.ts'

/** A picture that can be converted to a PNG without losing anything. */
export interface PlainPicture {
  readonly width: number
  readonly height: number
  /** PNG chunks to write in addition to the samples. */
  readonly chunks: readonly AncillaryChunk[]
  /** Rows from the top as 8-bit RGB. A row is valid until the next one is requested. */
  rows(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Returns a pHYs chunk (W3C PNG, 11.3.4.3) with whole pixels a metre. Empty if a value is missing or out of range. */
export function physicalSize(across: number, down: number): AncillaryChunk[] {
  if (![across, down].every((perMetre) => perMetre > 0 && perMetre < 2 ** 31)) return []
  const data = new Uint8Array(9)
  const view = new DataView(data.buffer)
  view.setUint32(0, across)
  view.setUint32(4, down)
  data[8] = 1
  return [{ type: 'pHYs', data }]
}
