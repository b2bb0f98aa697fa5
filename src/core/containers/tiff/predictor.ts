/**
 * TIFF predictors: TIFF 6.0 section 14 (horizontal differencing) and Adobe Photoshop TIFF Technical Note 3 (floating point).
 * All functions change whole rows in place, in the byte order of the file.
 */

export interface RowFormat {
  readonly rowBytes: number
  readonly samples: number
  readonly bits: number
  readonly littleEndian: boolean
}

/** Replaces each sample by its difference from the sample of the previous pixel. */
export function applyPredictor(bytes: Uint8Array, rows: RowFormat, predictor: number): void {
  for (let at = 0; at + rows.rowBytes <= bytes.length; at += rows.rowBytes) {
    const row = bytes.subarray(at, at + rows.rowBytes)
    if (predictor === 2) differenceRow(row, rows)
    else splitFloats(row, rows)
  }
}

/** Reverses `applyPredictor`. */
export function undoPredictor(bytes: Uint8Array, rows: RowFormat, predictor: number): void {
  for (let at = 0; at + rows.rowBytes <= bytes.length; at += rows.rowBytes) {
    const row = bytes.subarray(at, at + rows.rowBytes)
    if (predictor === 2) accumulateRow(row, rows)
    else joinFloats(row, rows)
  }
}

function differenceRow(row: Uint8Array, { samples, bits, littleEndian }: RowFormat): void {
  if (bits === 8) {
    for (let i = row.length - 1; i >= samples; i--) row[i] = row[i]! - row[i - samples]!
    return
  }
  const size = bits / 8
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength)
  const step = samples * size
  if (bits === 16) {
    for (let i = row.length - 2; i >= step; i -= 2)
      view.setUint16(i, view.getUint16(i, littleEndian) - view.getUint16(i - step, littleEndian), littleEndian)
  } else if (bits === 32) {
    for (let i = row.length - 4; i >= step; i -= 4)
      view.setUint32(i, view.getUint32(i, littleEndian) - view.getUint32(i - step, littleEndian), littleEndian)
  } else {
    for (let i = row.length - 8; i >= step; i -= 8) {
      view.setBigUint64(i, BigInt.asUintN(64, view.getBigUint64(i, littleEndian) - view.getBigUint64(i - step, littleEndian)), littleEndian)
    }
  }
}

function accumulateRow(row: Uint8Array, { samples, bits, littleEndian }: RowFormat): void {
  if (bits === 8) {
    for (let i = samples; i < row.length; i++) row[i] = row[i]! + row[i - samples]!
    return
  }
  const size = bits / 8
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength)
  const step = samples * size
  if (bits === 16) {
    for (let i = step; i < row.length; i += 2)
      view.setUint16(i, view.getUint16(i, littleEndian) + view.getUint16(i - step, littleEndian), littleEndian)
  } else if (bits === 32) {
    for (let i = step; i < row.length; i += 4)
      view.setUint32(i, view.getUint32(i, littleEndian) + view.getUint32(i - step, littleEndian), littleEndian)
  } else {
    for (let i = step; i < row.length; i += 8) {
      view.setBigUint64(i, BigInt.asUintN(64, view.getBigUint64(i, littleEndian) + view.getBigUint64(i - step, littleEndian)), littleEndian)
    }
  }
}

/**
 * Groups the bytes of floating-point samples by significance, most significant first. Then replaces each byte by its difference from the
 * byte `samples` before it.
 */
function splitFloats(row: Uint8Array, { samples, bits, littleEndian }: RowFormat): void {
  const size = bits / 8
  const count = row.length / size
  const original = row.slice()
  for (let byte = 0; byte < size; byte++) {
    const weight = littleEndian ? size - 1 - byte : byte
    for (let i = 0, from = weight, to = byte * count; i < count; i++, from += size, to++) row[to] = original[from]!
  }
  for (let i = row.length - 1; i >= samples; i--) row[i] = row[i]! - row[i - samples]!
}

function joinFloats(row: Uint8Array, { samples, bits, littleEndian }: RowFormat): void {
  const size = bits / 8
  const count = row.length / size
  for (let i = samples; i < row.length; i++) row[i] = row[i]! + row[i - samples]!
  const split = row.slice()
  for (let byte = 0; byte < size; byte++) {
    const weight = littleEndian ? size - 1 - byte : byte
    for (let i = 0, to = weight, from = byte * count; i < count; i++, to += size, from++) row[to] = split[from]!
  }
}

/** Reverses the bits of each byte (FillOrder 2). */
export function reverseBits(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = MIRRORED[bytes[i]!]!
}

const MIRRORED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let mirrored = 0
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) mirrored |= 0x80 >> bit
  return mirrored
})
