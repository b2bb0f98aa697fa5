import { randomNumbers } from './random-numbers.ts'

const RECORD_BYTES = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67]
const HEADER_BYTES = [227, 227, 227, 235, 375, 393]

export interface LasRequest {
  readonly format: number
  readonly points: number
  readonly minor?: number
  readonly extraBytes?: number
  /** Number of bytes between the VLRs and the points. Default: 0. */
  readonly strayBytes?: number
  readonly trailingBytes?: number
  readonly vlrs?: number
  /** `walk`: realistic points of an airborne scan. `noise`: random bits, which no real file has. Default: `walk`. */
  readonly content?: 'walk' | 'noise'
  readonly seed?: number
}

/** Generates a LAS file of any version and point format (LAS 1.4 R15, 2.4–2.6; 1.5 has a longer header). */
export function lasFile(request: LasRequest): Uint8Array {
  const { format, points, extraBytes = 0, strayBytes = 0, trailingBytes = 0, vlrs = 1, content = 'walk' } = request
  const minor = request.minor ?? (format >= 6 ? 4 : format >= 4 ? 3 : 2)
  const random = randomNumbers(request.seed ?? 1)
  const recordBytes = RECORD_BYTES[format]! + extraBytes
  const headerBytes = HEADER_BYTES[minor]!
  const vlrBytes = vlrs * (54 + 21)
  const pointOffset = headerBytes + vlrBytes + strayBytes
  const pointsEnd = pointOffset + points * recordBytes
  const file = new Uint8Array(pointsEnd + trailingBytes)
  const view = new DataView(file.buffer)
  file.set(new TextEncoder().encode('LASF'))
  view.setUint8(24, 1)
  view.setUint8(25, minor)
  view.setUint16(94, headerBytes, true)
  view.setUint32(96, pointOffset, true)
  view.setUint32(100, vlrs, true)
  view.setUint8(104, format)
  view.setUint16(105, recordBytes, true)
  if (format < 6) view.setUint32(107, points, true)
  for (let i = 0; i < 3; i++) view.setFloat64(131 + 8 * i, 0.01, true)
  if (minor >= 3 && trailingBytes > 0) view.setBigUint64(227, BigInt(pointsEnd), true)
  if (minor >= 4) {
    view.setBigUint64(247, BigInt(points), true)
    if (trailingBytes > 0) view.setBigUint64(235, BigInt(pointsEnd), true)
  }
  for (let i = 0; i < vlrs; i++) {
    const at = headerBytes + i * 75
    file.set(new TextEncoder().encode('LASF_Spec'), at + 2)
    view.setUint16(at + 18, 4, true)
    view.setUint16(at + 20, 21, true)
    for (let j = 54; j < 75; j++) file[at + j] = random() * 256
  }
  for (let i = 0; i < strayBytes; i++) file[headerBytes + vlrBytes + i] = random() * 256
  for (let i = pointsEnd; i < file.length; i++) file[i] = random() * 256
  if (content === 'noise') for (let i = pointOffset; i < pointsEnd; i++) file[i] = random() * 256
  else walk(view, pointOffset, recordBytes, request, random)
  return file
}

function walk(
  view: DataView,
  pointOffset: number,
  recordBytes: number,
  { format, points, extraBytes = 0 }: LasRequest,
  random: () => number,
) {
  const layered = format >= 6
  const core = layered ? 30 : 20
  const timed = layered || format === 1 || format >= 3
  const colour = [2, 3, 5, 7, 8, 10].includes(format)
  let [x, y, z, time] = [600_000, 4_800_000, 12_000, 250_000]
  for (let i = 0; i < points; i++) {
    const at = pointOffset + i * recordBytes
    x += Math.floor(random() * 40) - 5
    y += Math.floor(random() * 9) - 4
    z += Math.floor(random() * 60) - 30
    const returns = random() < 0.7 ? 1 : 1 + Math.floor(random() * 4)
    const returnNumber = 1 + Math.floor(random() * returns)
    view.setInt32(at, x, true)
    view.setInt32(at + 4, y, true)
    view.setInt32(at + 8, z, true)
    view.setUint16(at + 12, 200 + random() * 90, true)
    const angle = Math.floor(random() * 3) - 1
    if (random() < 0.5) time += 0.00002
    if (random() < 0.001) time += 40
    if (layered) {
      view.setUint8(at + 14, returnNumber | (returns << 4))
      view.setUint8(at + 15, random() < 0.02 ? Math.floor(random() * 256) : (i >> 6) & 0x30)
      view.setUint8(at + 16, random() < 0.1 ? 5 : 2)
      view.setUint8(at + 17, i >> 9)
      view.setInt16(at + 18, angle * 500, true)
      view.setUint16(at + 20, i >> 10, true)
      view.setFloat64(at + 22, time, true)
    } else {
      view.setUint8(at + 14, returnNumber | (returns << 3) | ((i >> 5) & 0x40))
      view.setUint8(at + 15, random() < 0.1 ? 5 : 2)
      view.setInt8(at + 16, angle)
      view.setUint8(at + 17, i >> 9)
      view.setUint16(at + 18, i >> 10, true)
      if (timed) view.setFloat64(at + 20, time, true)
    }
    let next = core + (timed && !layered ? 8 : 0)
    if (colour) {
      const grey = random() < 0.3
      const red = Math.floor(random() * 65536)
      for (let c = 0; c < 3; c++) view.setUint16(at + next + 2 * c, grey ? red : red + c * 300 + random() * 64, true)
      next += 6
      if (format === 8 || format === 10) {
        view.setUint16(at + next, 3000 + random() * 512, true)
        next += 2
      }
    }
    if ([4, 5, 9, 10].includes(format)) {
      view.setUint8(at + next, 1 + (i & 1))
      view.setBigUint64(at + next + 1, BigInt(60 + i * 256 + (random() < 0.05 ? 2 ** 33 : 0)), true)
      view.setUint32(at + next + 9, 256, true)
      for (let j = 0; j < 4; j++) view.setFloat32(at + next + 13 + 4 * j, random(), true)
      next += 29
    }
    for (let j = 0; j < extraBytes; j++) view.setUint8(at + next + j, j % 2 ? i >> 8 : random() * 4)
  }
}
