/** Unpacks FLAC in Ogg (RFC 9639, section 10.1) to a FLAC file with the same frames. */
import { bytesOfBase64 } from '../../bytes/base64.ts'
import { concat } from '../../bytes/concat.ts'
import { commentBytes, commentKey, commentValue, parseComments } from '../../containers/xiph/comments.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { WriteBuffer } from '../../model/sink.ts'
import { BLOCK_HEADER_BYTES, blockType, COMMENTS, PICTURE, PICTURE_KEY, planHeaders, withBlockHeader } from './headers.ts'
import { type OggSound, packetsOf } from './read-sound.ts'
import { FLAC_INFO_AT } from './sound-stream.ts'

const SEEK_TABLE = 3
/** Offset of `fLaC` in the first packet. */
const MARKER_AT = FLAC_INFO_AT - 4
/** Offset of the number of samples in the first packet: 4 bits, then 4 bytes. */
const SAMPLES_AT = FLAC_INFO_AT + 4 + 13

/** True for FLAC whose frames are all played. */
export const canBeUnpacked = ({ stream, skip, frames }: OggSound): boolean => {
  const told = stream.sound?.codec === 'flac' ? samplesTold(stream.first) : undefined
  return skip === 0 && (told === 0 || told === frames)
}

function samplesTold(first: Uint8Array): number {
  let value = first[SAMPLES_AT]! & 15
  for (const byte of first.subarray(SAMPLES_AT + 1, SAMPLES_AT + 5)) value = value * 256 + byte
  return value
}

export async function unpackFlac(source: Source, sound: OggSound, sink: Sink, options: Options): Promise<Outcome> {
  const plan = await planHeaders(sound.stream, sound.headers, true, options)
  const head = plan.first.slice(MARKER_AT)
  // Other metadata blocks follow, and the last of them has the marker.
  head[4] = head[4]! & 127
  head.set(tellSamples(head[SAMPLES_AT - MARKER_AT]!, sound.frames), SAMPLES_AT - MARKER_AT)
  const buffer = new WriteBuffer(sink)
  for (const bytes of [head, ...withPictureBlocks(plan.others)]) await buffer.write(bytes)
  for await (const packet of packetsOf(source, options.signal)) await buffer.write(packet)
  await buffer.flush()
  return { kind: 'compressed', steps: [message('flac_unpacked_from_ogg')] }
}

/**
 * Returns metadata blocks without a seek table, whose positions are those of another file. Each cover has a block of its own, because
 * players of FLAC look for it there.
 */
function withPictureBlocks(blocks: readonly Uint8Array[]): Uint8Array[] {
  const all = blocks.flatMap((block) => {
    if (blockType(block) === SEEK_TABLE) return []
    const comments = blockType(block) === COMMENTS ? parseComments(block, BLOCK_HEADER_BYTES) : undefined
    if (!comments?.entries.some(isPicture)) return [block]
    const entries = comments.entries.filter((entry) => !isPicture(entry))
    const pictures = comments.entries.filter(isPicture).map((entry) => bytesOfBase64(commentValue(entry)))
    return [
      concat([block.subarray(0, BLOCK_HEADER_BYTES), commentBytes({ ...comments, entries })]),
      ...pictures.map((picture) => concat([Uint8Array.of(PICTURE, 0, 0, 0), picture])),
    ]
  })
  return all.map((block, i) => withBlockHeader(block, i === all.length - 1))
}

const isPicture = (entry: Uint8Array) => commentKey(entry) === PICTURE_KEY

/** Returns the five bytes that tell the number of samples. The upper half of the first one has another meaning. */
function tellSamples(first: number, samples: number): Uint8Array {
  const bytes = new Uint8Array(5)
  let rest = samples
  for (let i = 4; i >= 0; i--) {
    bytes[i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  bytes[0] = (first & 0xf0) | (bytes[0]! & 15)
  return bytes
}
