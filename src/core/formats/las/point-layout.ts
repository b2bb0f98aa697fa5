/** Bytes of a wave packet record (LAS 1.4 R15, table 13). */
export const WAVE_PACKET_SIZE = 29

/** Item of the "laszip encoded" VLR: a group of record fields and its compressor version. */
interface LazItem {
  /** Item type: 6 POINT10, 7 GPSTIME11, 8 RGB12, 9 WAVEPACKET13, 0 BYTE, 10 POINT14, 11 RGB14, 12 RGBNIR14, 13 WAVEPACKET14, 14 BYTE14. */
  readonly type: number
  readonly size: number
  readonly version: number
}

/** Fields of a point record (LAS 1.4 R15, 2.6) and the LASzip items that encode them. */
export interface PointLayout {
  /** LASzip compressor: 2 is pointwise chunked, 3 is layered chunked. */
  readonly compressor: 2 | 3
  readonly items: readonly LazItem[]
  readonly recordLength: number
  /** Bytes of the core fields: 20 in formats 0 to 5, 30 in formats 6 to 10. */
  readonly core: 20 | 30
  readonly time: boolean
  readonly rgb: boolean
  readonly nir: boolean
  readonly wave: boolean
  /** Bytes after the fields of the point format. */
  readonly extra: number
}

/** Layout of a point record. `undefined`: the format is unknown or the record too short. */
export function pointLayout(format: number, recordLength: number): PointLayout | undefined {
  if (!Number.isInteger(format) || format < 0 || format > 10) return undefined
  const layered = format >= 6
  const core = layered ? 30 : 20
  const time = !layered && format !== 0 && format !== 2
  const rgb = [2, 3, 5, 7, 8, 10].includes(format)
  const nir = format === 8 || format === 10
  const wave = [4, 5, 9, 10].includes(format)
  const colour = (rgb ? 6 : 0) + (nir ? 2 : 0)
  const extra = recordLength - core - (time ? 8 : 0) - colour - (wave ? WAVE_PACKET_SIZE : 0)
  if (extra < 0) return undefined

  const items: LazItem[] = []
  if (layered) {
    items.push({ type: 10, size: 30, version: 3 })
    if (nir) items.push({ type: 12, size: 8, version: 3 })
    else if (rgb) items.push({ type: 11, size: 6, version: 3 })
    if (wave) items.push({ type: 13, size: WAVE_PACKET_SIZE, version: 3 })
    if (extra > 0) items.push({ type: 14, size: extra, version: 3 })
  } else {
    items.push({ type: 6, size: 20, version: 2 })
    if (time) items.push({ type: 7, size: 8, version: 2 })
    if (rgb) items.push({ type: 8, size: 6, version: 2 })
    if (wave) items.push({ type: 9, size: WAVE_PACKET_SIZE, version: 1 })
    if (extra > 0) items.push({ type: 0, size: extra, version: 2 })
  }
  return { compressor: layered ? 3 : 2, items, recordLength, core, time, rgb, nir, wave, extra }
}
