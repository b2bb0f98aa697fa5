/** Undoes the predictors of Flate and LZW (ISO 32000-2, 7.4.4.4): TIFF predictor 2 and the PNG filters. */
import { damaged, type PdfDictionary } from './values.ts'

/** Longest row in bytes. */
const MAX_ROW_BYTES = 16 * 1024 * 1024

interface Rows {
  readonly png: boolean
  readonly colours: number
  readonly bits: number
  readonly rowBytes: number
  /** Distance to the same component of the pixel to the left, at least one byte. */
  readonly pixelBytes: number
}

/** Yields `data` without its predictor. `parameters`: decode parameters of the filter. */
export function unpredicted(data: AsyncIterable<Uint8Array>, parameters: PdfDictionary | undefined): AsyncIterable<Uint8Array> {
  const number = (key: string, otherwise: number) => {
    const value = parameters?.get(key)
    return typeof value === 'number' ? value : otherwise
  }
  const predictor = number('Predictor', 1)
  if (predictor < 2) return data
  const [colours, bits, columns] = [number('Colors', 1), number('BitsPerComponent', 8), number('Columns', 1)]
  const rowBytes = Math.ceil((colours * bits * columns) / 8)
  if (!(rowBytes > 0 && rowBytes <= MAX_ROW_BYTES) || !(colours > 0) || ![1, 2, 4, 8, 16].includes(bits)) throw damaged(0)
  return rowsWithout(data, { png: predictor >= 10, colours, bits, rowBytes, pixelBytes: Math.max(1, (colours * bits) >> 3) })
}

async function* rowsWithout(data: AsyncIterable<Uint8Array>, shape: Rows): AsyncGenerator<Uint8Array> {
  const stored = shape.rowBytes + (shape.png ? 1 : 0)
  const row = new Uint8Array(stored)
  const before = new Uint8Array(shape.rowBytes)
  let filled = 0
  const undo = (length: number) => {
    const samples = row.subarray(shape.png ? 1 : 0, length)
    if (shape.png) undoPng(row[0]!, samples, before, shape.pixelBytes)
    else undoTiff(samples, shape)
    before.set(samples)
    return samples.slice()
  }
  for await (const piece of data) {
    const out: Uint8Array[] = []
    for (let at = 0; at < piece.length; ) {
      const count = Math.min(stored - filled, piece.length - at)
      row.set(piece.subarray(at, at + count), filled)
      filled += count
      at += count
      if (filled < stored) continue
      out.push(undo(stored))
      filled = 0
    }
    yield* joined(out)
  }
  // The last row may be cut.
  if (filled > (shape.png ? 1 : 0)) yield undo(filled)
}

/** Yields small rows as one piece. */
function* joined(rows: readonly Uint8Array[]): Generator<Uint8Array> {
  const whole = new Uint8Array(rows.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const row of rows) {
    whole.set(row, at)
    at += row.length
  }
  if (at > 0) yield whole
}

/** Undoes one PNG filter (ISO/IEC 15948, 9.2). Unknown filters leave the row as it is. */
function undoPng(filter: number, row: Uint8Array, above: Uint8Array, pixelBytes: number): void {
  for (let at = 0; at < row.length; at++) {
    const left = at < pixelBytes ? 0 : row[at - pixelBytes]!
    const up = above[at]!
    if (filter === 1) row[at]! += left
    else if (filter === 2) row[at]! += up
    else if (filter === 3) row[at]! += (left + up) >> 1
    else if (filter === 4) row[at]! += paeth(left, up, at < pixelBytes ? 0 : above[at - pixelBytes]!)
    else return
  }
}

function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft
  const [toLeft, toUp, toUpLeft] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)]
  if (toLeft <= toUp && toLeft <= toUpLeft) return left
  return toUp <= toUpLeft ? up : upLeft
}

/** Undoes TIFF predictor 2 (TIFF 6.0, section 14). */
function undoTiff(row: Uint8Array, { colours, bits }: Rows): void {
  if (bits === 8) for (let at = colours; at < row.length; at++) row[at]! += row[at - colours]!
  else if (bits === 16) {
    for (let at = 2 * colours; at + 1 < row.length; at += 2) {
      const sum = row[at]! * 256 + row[at + 1]! + row[at - 2 * colours]! * 256 + row[at - 2 * colours + 1]!
      row[at] = (sum >> 8) & 255
      row[at + 1] = sum & 255
    }
  } else undoTiffBits(row, colours, bits)
}

function undoTiffBits(row: Uint8Array, colours: number, bits: number): void {
  const mask = (1 << bits) - 1
  const shiftOf = (sample: number) => 8 - bits - ((sample * bits) % 8)
  const byteOf = (sample: number) => (sample * bits) >> 3
  for (let sample = colours; sample < (row.length * 8) / bits; sample++) {
    const left = (row[byteOf(sample - colours)]! >> shiftOf(sample - colours)) & mask
    const shift = shiftOf(sample)
    const own = (row[byteOf(sample)]! >> shift) & mask
    row[byteOf(sample)] = (row[byteOf(sample)]! & ~(mask << shift)) | (((own + left) & mask) << shift)
  }
}
