/** Reads stream headers of AVI files (`strh`, `strf`, `vprp`). */
import type { FileView } from '../file-view.ts'
import type { Reading } from '../media/media-reader.ts'
import { le16, le32, nameAt, seconds } from '../media/numbers.ts'
import { bitmapName } from '../mp4/sound-entry.ts'
import type { Chunk } from '../riff/chunks.ts'

export interface Stream {
  readonly kind: 'video' | 'audio' | 'subtitle' | 'data'
  /** Seconds of one unit: a frame, a block or a byte. */
  readonly unitSeconds: number
  /** Number of units that the header tells. */
  readonly toldUnits: number
  /** Bytes of a unit. 0: each chunk is one unit. */
  readonly unitBytes: number
  readonly channels: number
  readonly mask: number
  /** Width and height of a pixel. `undefined`: the file does not tell. */
  readonly pixelShape: readonly [number, number] | undefined
  /** OpenDML super index. `undefined`: none. */
  readonly superIndex: Chunk | undefined
}

const KINDS: { readonly [type: string]: Stream['kind'] | undefined } = { vids: 'video', iavs: 'video', auds: 'audio', txts: 'subtitle' }
const EXTENSIBLE = 0xfffe

/** Reads the chunks of a `LIST strl`. @throws CodecError (malformed) if a header is missing */
export async function streamOf(view: FileView, parts: readonly Chunk[]): Promise<Stream> {
  const find = async (id: string, bytes: number) => {
    const part = parts.find((one) => one.id === id)
    return part && (await view.bytesUpTo(part.body, Math.min(bytes, part.end - part.body))).slice()
  }
  const [strh, strf, vprp] = [await find('strh', 64), await find('strf', 64), await find('vprp', 64)]
  if (!strh || !strf) throw view.malformed(parts[0]?.start ?? 0)
  const isSound = nameAt(strh, 0) === 'auds'
  return {
    kind: KINDS[nameAt(strh, 0)] ?? 'data',
    unitSeconds: (le32(strh, 20) || 1) / (le32(strh, 24) || 25),
    toldUnits: le32(strh, 32),
    unitBytes: isSound ? le32(strh, 44) : 0,
    channels: le16(strf, 2),
    mask: isSound && le16(strf, 0) === EXTENSIBLE ? le32(strf, 20) : 0,
    pixelShape: vprp && shapeOf(vprp),
    superIndex: parts.find(({ id }) => id === 'indx'),
  }
}

/** `vprp` (OpenDML 1.02, 5.1): aspect ratio of the frame at 20 (height, then width), its size in pixels at 24 and 28. */
function shapeOf(vprp: Uint8Array): readonly [number, number] | undefined {
  const [high, wide, width, height] = [le16(vprp, 20), le16(vprp, 22), le32(vprp, 24), le32(vprp, 28)]
  return high && wide && width && height ? [wide * height, high * width] : undefined
}

const MOST_DIFFERENCE = 0.05

/** Adds the items of one stream. `units`: number that the index of the file tells. `undefined`: no index. */
export function describeStream({ items }: Reading, stream: Stream, name: string, units: number | undefined): void {
  const { kind, unitSeconds, toldUnits, channels, mask, pixelShape } = stream
  if (kind === 'video') items.add('video_tracks', name)
  else if (kind === 'audio') items.add('audio_tracks', name)
  else items.add(kind === 'subtitle' ? 'subtitle_tracks' : 'other_tracks', name)
  // If header and index tell different lengths, players disagree about the duration.
  const isClear = units !== undefined && Math.abs(units - toldUnits) <= MOST_DIFFERENCE * Math.max(units, toldUnits)
  if (isClear && units > 0 && kind !== 'data') items.add('durations', `${name} = ${seconds(units * unitSeconds)} s`)
  if (kind === 'audio') {
    items.add('sound_format', `${name} = ${channels} channels`)
    if (mask !== 0 && channels > 2) items.add('sound_format', `${name} speakers = ${bitmapName(mask)}`)
  }
  if (kind === 'video' && pixelShape) {
    let [a, b] = pixelShape
    while (b > 0) [a, b] = [b, a % b]
    const [width, height] = pixelShape.map((side) => side / a)
    if (width !== height) items.add('rotation', `${name} pixel shape = ${width}:${height}`)
  }
}
