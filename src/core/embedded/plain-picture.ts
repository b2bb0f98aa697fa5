/** Pictures of which a PNG keeps everything, whatever they are stored as. */
import type { AncillaryChunk } from '../../../wasm/png/png.ts'

/** A picture of which a PNG can be made that is the same. */
export interface PlainPicture {
  readonly width: number
  readonly height: number
  /** What a PNG says of it beside its samples. */
  readonly chunks: readonly AncillaryChunk[]
  /** From the top, RGB of 8 bits; a row holds until the next one is asked for. */
  rows(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** pHYs (W3C PNG, 11.3.4.3) of pixels per metre, whole numbers; none where it is not said. */
export function physicalSize(across: number, down: number): AncillaryChunk[] {
  if (![across, down].every((perMetre) => perMetre > 0 && perMetre < 2 ** 31)) return []
  const data = new Uint8Array(9)
  const view = new DataView(data.buffer)
  view.setUint32(0, across)
  view.setUint32(4, down)
  data[8] = 1
  return [{ type: 'pHYs', data }]
}
