/** Headers of MPEG audio frames of layers II and III (ISO/IEC 11172-3, 2.4.1.3; ISO/IEC 13818-3). */

export interface LayerHeader {
  readonly layer: 2 | 3
  /** MPEG version: 1, 2 or 2.5. */
  readonly version: 1 | 2 | 2.5
  readonly hertz: number
  readonly channels: 1 | 2
  /** Bytes of the whole frame. */
  readonly bytes: number
  readonly samples: number
}

const KBPS_1 = {
  2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
}
/** Bit rates of MPEG-2 and MPEG-2.5, which both layers share. */
const KBPS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

/** Reads a header. `undefined`: it is none, or of another layer or free format. */
export function layerHeader(b: Uint8Array): LayerHeader | undefined {
  if (b.length < 4 || b[0] !== 0xff || (b[1]! & 0xe0) !== 0xe0) return undefined
  const id = (b[1]! >> 3) & 3
  const layer = 4 - ((b[1]! >> 1) & 3)
  const rate = [44_100, 48_000, 32_000][(b[2]! >> 2) & 3]
  if (id === 1 || !rate || (layer !== 2 && layer !== 3)) return undefined
  const version = id === 3 ? 1 : id === 2 ? 2 : 2.5
  const kbps = (version === 1 ? KBPS_1[layer] : KBPS_2)[b[2]! >> 4]
  // Emphasis 2 is reserved.
  if (!kbps || (b[3]! & 3) === 2) return undefined
  const hertz = version === 1 ? rate : version === 2 ? rate / 2 : rate / 4
  const samples = layer === 3 && version !== 1 ? 576 : 1152
  const bytes = Math.floor((samples * 125 * kbps) / hertz) + ((b[2]! >> 1) & 1)
  return { layer, version, hertz, channels: b[3]! >> 6 === 3 ? 1 : 2, bytes, samples }
}

export function layer2Header(b: Uint8Array): LayerHeader | undefined {
  const header = layerHeader(b)
  return header?.layer === 2 ? header : undefined
}
