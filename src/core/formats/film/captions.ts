/** Recognises closed captions between the slices of pictures (ATSC A/53 part 4, 6.2.3). Encoders here do not write them. */
import { indexOfBytes } from '../../bytes/search.ts'
import type { Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import type { PictureTrack } from './picture-track.ts'

/** `GA94`, and the type of caption data. */
const CAPTIONS = Uint8Array.of(0x47, 0x41, 0x39, 0x34, 3)
const CARRIERS: ReadonlySet<string> = new Set(['h264', 'hevc', 'mpeg2video'])

/** Captions are in front of the first slice. */
const HEAD_BYTES = 4096
/** Pictures at the start that are read, and pairs of pictures behind them, because a film may have captions in a part alone. */
const [FIRST_PICTURES, LATER_PAIRS] = [32, 16]

/** @throws CodecError (unsupported_feature) if pictures carry closed captions */
export async function checkCaptions(source: Source, { stream, samples }: PictureTrack): Promise<void> {
  if (!CARRIERS.has(stream.decoder)) return
  for (const index of probedPictures(samples.count)) {
    const head = await source.read(samples.offset[index]!, Math.min(samples.size[index]!, HEAD_BYTES))
    const at = indexOfBytes(head, CAPTIONS)
    if (at >= 0 && ((head[at + CAPTIONS.length] ?? 0) & 0x1f) > 0) throw unsupported('captions_kept')
  }
}

function* probedPictures(count: number): Generator<number> {
  for (let index = 0; index < Math.min(count, FIRST_PICTURES); index++) yield index
  const step = Math.max(2, Math.floor((count - FIRST_PICTURES) / LATER_PAIRS))
  for (let index = FIRST_PICTURES; index < count; index += step) {
    yield index
    if (index + 1 < count) yield index + 1
  }
}
