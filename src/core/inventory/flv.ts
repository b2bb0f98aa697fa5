/** Inventory of Flash video in the words of MP4, which it becomes. */

import type { FileView } from './file-view.ts'
import type { InventoryReader } from './inventory.ts'
import { digestOfRange } from './media/digests.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { be16, be24, be32, nameAt, seconds } from './media/numbers.ts'
import { ShownSpan } from './media/shown-span.ts'
import { h264Facts, hevcFacts, hevcSequence } from './mp4/parameter-sets.ts'
import { specificConfig } from './mp4/sound-entry.ts'
import { addFacts } from './ts/start.ts'

export const flv: InventoryReader = mediaReader('flv', readFile)

const [SOUND, PICTURES, SCRIPT] = [8, 9, 18]
const [TAG_BYTES, BACK_BYTES, HEAD_BYTES] = [11, 4, 16]
const [AAC, MP3, AVC, HEVC] = [10, 2, 7, 12]
const MAX_CONFIG_BYTES = 64 * 1024
const MAX_SCRIPTS = 1000
const TICKS = 1000

async function readFile({ view, items, signal }: Reading): Promise<void> {
  const span = new ShownSpan()
  const seen = new Set<number>()
  const head = (await view.bytesUpTo(0, 9)).slice()
  if (nameAt(head, 0, 3) !== 'FLV') throw view.malformed(0)
  let scripts = 0
  for (let at = be32(head, 5) + BACK_BYTES; at + TAG_BYTES <= view.size; ) {
    signal.throwIfAborted()
    const tag = (await view.bytesUpTo(at, TAG_BYTES + HEAD_BYTES)).slice()
    const [type, size] = [tag[0]! & 31, be24(tag, 1)]
    const body = { view, at: at + TAG_BYTES, size, head: tag.subarray(TAG_BYTES) }
    if (body.at + size > view.size) break
    if (type === SCRIPT && ++scripts <= MAX_SCRIPTS)
      items.add('other_tracks', `script ${scripts - 1} = ${await digestOfRange(view, body.at, size)}`)
    if ((type === SOUND || type === PICTURES) && size > 0 && !seen.has(type)) {
      seen.add(type)
      items.add(type === SOUND ? 'audio_tracks' : 'video_tracks', type === SOUND ? 'audio 0' : 'video 0')
      await (type === SOUND ? describeSound(items, body) : describePictures(items, body))
    }
    const composition = type === PICTURES && size > 0 ? compositionIn(body.head) : undefined
    if (composition !== undefined) span.add(((tag[7]! << 24) | be24(tag, 4)) + composition)
    at = body.at + size + BACK_BYTES
  }
  if (span.length !== undefined) items.add('durations', `video 0 = ${seconds(span.length / TICKS)} s`)
}

interface Body {
  readonly view: FileView
  readonly at: number
  readonly size: number
  readonly head: Uint8Array
}

/** Display time minus stored time of a frame. `undefined`: the tag has no frame. */
function compositionIn(b: Uint8Array): number | undefined {
  const signed = (at: number) => (be24(b, at) << 8) >> 8
  if (b[0]! & 0x80) return (b[0]! & 15) === 1 ? signed(5) : (b[0]! & 15) === 3 ? 0 : undefined
  return b[0]! >> 4 === 5 || b[1] !== 1 ? undefined : signed(2)
}

async function describeSound(items: Reading['items'], { view, at, size, head }: Body): Promise<void> {
  const codec = head[0]! >> 4
  const config = codec === AAC ? (await view.bytesUpTo(at + 2, Math.min(MAX_CONFIG_BYTES, size - 2))).slice() : undefined
  const channels = config ? specificConfig(config).channels : codec === MP3 ? (head[4]! >> 6 === 3 ? 1 : 2) : 0
  if (channels > 0) items.add('sound_format', `audio 0 = ${channels} channels`)
}

async function describePictures(items: Reading['items'], { view, at, size, head }: Body): Promise<void> {
  const isEnhanced = (head[0]! & 0x80) !== 0
  const codec = isEnhanced ? { avc1: AVC, hvc1: HEVC }[nameAt(head, 1)] : head[0]! & 15
  if (size <= 5 || (isEnhanced ? head[0]! & 15 : head[1]) !== 0) return
  const record = (await view.bytesUpTo(at + 5, Math.min(MAX_CONFIG_BYTES, size - 5))).slice()
  const sequence = codec === AVC ? record.subarray(8, 8 + be16(record, 6)) : codec === HEVC ? hevcSequence(record) : undefined
  if (!sequence) return
  const { colours, pixelShape } = codec === AVC ? h264Facts(sequence) : hevcFacts(sequence)
  addFacts(items, 'video 0', colours, pixelShape)
}
