/** Parses the boxes of a JP2 file (ISO/IEC 15444-1, annex I) that define its colour space. */

export type Jp2Colour = 'gray' | 'rgb' | 'other'

interface Box {
  type: string
  start: number
  end: number
}

const SUPERBOX = 'jp2h'
const MAX_BOXES = 200

function* boxes(view: DataView, from: number, to: number): Generator<Box> {
  for (let at = from, count = 0; at + 8 <= to && count < MAX_BOXES; count++) {
    const length = view.getUint32(at)
    const type = String.fromCharCode(view.getUint8(at + 4), view.getUint8(at + 5), view.getUint8(at + 6), view.getUint8(at + 7))
    // Box length 1: the length is in the next eight bytes. Box length 0: the box ends with the file.
    const extended = length === 1 && at + 16 <= to
    const head = extended ? 16 : 8
    const whole = extended ? view.getUint32(at + 8) * 2 ** 32 + view.getUint32(at + 12) : length === 0 ? to - at : length
    if (whole < head) return
    yield { type, start: at + head, end: Math.min(to, at + whole) }
    at += whole
  }
}

/** Colour space of a JP2 file. `other`: palettes, ICC profiles, YCC and other spaces. `undefined`: a bare codestream without boxes. */
export function jp2Colour(file: Uint8Array): Jp2Colour | undefined {
  if (file[0] === 0xff && file[1] === 0x4f) return undefined
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  let colour: Jp2Colour = 'other'
  for (const outer of boxes(view, 0, file.length)) {
    if (outer.type !== SUPERBOX) continue
    for (const { type, start, end } of boxes(view, outer.start, outer.end)) {
      // With a palette, the samples are indices.
      if (type === 'pclr') return 'other'
      if (type !== 'colr' || end - start < 7 || colour !== 'other') continue
      // METH 1 is an enumerated colour space (ISO/IEC 15444-1, table I.10): 16 is sRGB, 17 is greyscale.
      const space = view.getUint8(start) === 1 ? view.getUint32(start + 3) : 0
      colour = space === 16 ? 'rgb' : space === 17 ? 'gray' : 'other'
    }
  }
  return colour
}
