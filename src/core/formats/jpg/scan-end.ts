/** Finds the end of a JPEG picture, and the segments between its scans, without decoding it. */
import type { Source } from '../../model/codec.ts'

const WINDOW_BYTES = 256 * 1024
/** Most segments between scans. Progressive files have some tables before each of about ten scans. */
const MAX_LATE_SEGMENTS = 20_000

export interface ScanEnd {
  /** Offset of the first byte behind the end marker, or the size of the file if it has none. */
  readonly end: number
  /** Ranges of application and comment segments between the scans. */
  readonly late: readonly { readonly from: number; readonly to: number }[]
  /** Number of scans. */
  readonly scans: number
}

/** Reads the file from its first scan at `scanOffset`. */
export async function findScanEnd(source: Source, scanOffset: number, signal: AbortSignal): Promise<ScanEnd> {
  const late: { from: number; to: number }[] = []
  let scans = 0
  let at = scanOffset
  while (late.length < MAX_LATE_SEGMENTS) {
    const marker = await nextMarker(source, at, signal)
    if (!marker) return { end: source.size, late, scans }
    if (marker.code === 0xd9) return { end: marker.at + 2, late, scans }
    if (marker.code === 0xda) scans++
    const head = await source.read(marker.at + 2, 2)
    const to = marker.at + 2 + Math.max(2, ((head[0] ?? 0) << 8) | (head[1] ?? 0))
    if (marker.code === 0xfe || (marker.code >= 0xe0 && marker.code <= 0xef)) late.push({ from: marker.at, to: Math.min(to, source.size) })
    at = to
  }
  return { end: source.size, late, scans }
}

/** Next marker other than a stuffed zero, a restart marker or a fill byte (ITU-T T.81, B.1.1). `undefined`: the file ends before. */
async function nextMarker(source: Source, from: number, signal: AbortSignal): Promise<{ at: number; code: number } | undefined> {
  for (let at = from; at + 1 < source.size; ) {
    signal.throwIfAborted()
    const window = await source.read(at, WINDOW_BYTES)
    if (window.length < 2) return undefined
    for (let i = window.indexOf(0xff); i >= 0 && i + 1 < window.length; i = window.indexOf(0xff, i + 1)) {
      const code = window[i + 1]!
      if (code !== 0 && code !== 0xff && code !== 1 && (code < 0xd0 || code > 0xd7)) return { at: at + i, code }
    }
    at += window.length - 1
  }
  return undefined
}
