/** Removes tags from MP3 files: ID3v2 in front; ID3v1, APE and Lyrics3 at the end. */
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import { type Id3Frame, id3Bytes, id3Frames, id3Texts, synchsafe } from '../../containers/id3/id3.ts'
import type { Options, Source } from '../../model/codec.ts'
import { type Piece, sameIfUnchanged, splice } from '../../model/splice.ts'
import { readStream } from './stream.ts'
import { MAX_FRONT_TAG_BYTES } from './tuning.ts'

/** ID3v2 frames that every mode keeps, because players use them: loudness and chapters. `TXXX` has loudness, too. */
const LOOK = new Set(['RVA2', 'RVAD', 'CHAP', 'CTOC', 'MLLT', 'ETCO', 'SYTC'])
/** ID3v2 frames about author and rights, and the cover, which players show. */
const LAW = new Set(['TPE1', 'TCOP', 'WCOP', 'TPRO', 'USER', 'OWNE', 'APIC'])
const LOUDNESS = /^(?:replaygain_|mp3gain_)/i

/**
 * Returns the file without the tags that `mode` removes.
 * @throws CodecError for damaged files
 */
export async function withoutMp3Metadata(source: Source, mode: RemovingMode, options: Options): Promise<Source> {
  const { frontBytes, audioOffset, audioEnd } = await readStream(source, options)
  const pieces: Piece[] = [await reducedFront(source, frontBytes, mode), { from: audioOffset, to: audioEnd }]
  return sameIfUnchanged(source, splice(source, [...pieces, await reducedTail(source, audioEnd, mode)]))
}

async function reducedFront(source: Source, bytes: number, mode: RemovingMode): Promise<Uint8Array> {
  if (bytes === 0 || bytes > MAX_FRONT_TAG_BYTES) return new Uint8Array(0)
  const whole = (await source.read(0, bytes)).slice()
  const tags: Uint8Array[] = []
  for (let at = 0; at < whole.length; ) {
    const size = id3Bytes(whole, at)
    if (size === 0) break
    const tag = whole.subarray(at, at + size)
    const frames = id3Frames(tag).filter((frame) => keepsFrame(frame, mode))
    if (frames.length > 0) tags.push(writtenTag(tag[3]!, frames))
    at += size
  }
  return concat(tags)
}

function keepsFrame({ id, body }: Id3Frame, mode: RemovingMode): boolean {
  if (LOOK.has(id) || (mode === 'safe' && LAW.has(id))) return true
  return id === 'TXXX' && LOUDNESS.test(id3Texts(body)[0] ?? '')
}

/** Writes an ID3v2 tag (ID3v2.3 and 2.4, section 3) without padding. */
function writtenTag(version: number, frames: readonly Id3Frame[]): Uint8Array {
  const body = concat(
    frames.flatMap(({ id, body: content }) => {
      const header = new ByteWriter(new Uint8Array(10), false).ascii(id).finish()
      if (version === 4) header.set(synchsafe(content.length), 4)
      else new ByteWriter(header, false).at(4).u32(content.length)
      return [header, content]
    }),
  )
  const header = new ByteWriter(new Uint8Array(10), false).ascii('ID3').u8(version).finish()
  header.set(synchsafe(body.length), 6)
  return concat([header, body])
}

const APE_FOOTER_BYTES = 32
/** Largest APE tag that is reduced, in bytes. A larger one is removed. */
const MAX_APE_BYTES = 1024 * 1024

/** Returns the loudness items of an APE tag at the end of the file. Empty: there is none. */
async function reducedTail(source: Source, from: number, mode: RemovingMode): Promise<Uint8Array> {
  const size = Math.min(source.size - from, MAX_APE_BYTES)
  if (size < APE_FOOTER_BYTES) return new Uint8Array(0)
  const tail = (await source.read(source.size - size, size)).slice()
  const footerAt = latin1Of(tail).lastIndexOf('APETAGEX')
  if (footerAt < 0 || footerAt + APE_FOOTER_BYTES > tail.length) return new Uint8Array(0)
  const reader = new ByteReader(tail, true)
  const [bytes, count, flags] = [reader.u32(footerAt + 12), reader.u32(footerAt + 16), reader.u32(footerAt + 20)]
  const start = footerAt + APE_FOOTER_BYTES - bytes
  // Bit 29 marks a header, which has the same identifier (APEv2, "APE Tags Flags").
  if (flags & 0x20000000 || start < 0 || bytes < APE_FOOTER_BYTES) return new Uint8Array(0)
  const items = apeItems(tail.subarray(start, footerAt), count).filter(
    ({ key }) => LOUDNESS.test(key) || (mode === 'safe' && /^(?:artist|copyright)$/i.test(key)),
  )
  return items.length > 0 ? apeTag(items.map(({ bytes: item }) => item)) : new Uint8Array(0)
}

function apeItems(body: Uint8Array, count: number): { readonly key: string; readonly bytes: Uint8Array }[] {
  const items: { key: string; bytes: Uint8Array }[] = []
  let at = 0
  while (items.length < Math.min(count, 1000) && at + 9 <= body.length) {
    const keyEnd = body.indexOf(0, at + 8)
    if (keyEnd < 0) break
    const end = keyEnd + 1 + new ByteReader(body, true).u32(at)
    if (end > body.length) break
    items.push({ key: latin1Of(body.subarray(at + 8, keyEnd)), bytes: body.subarray(at, end) })
    at = end
  }
  return items
}

/** Writes an APEv2 tag with a footer and without a header. */
function apeTag(items: readonly Uint8Array[]): Uint8Array {
  const body = concat(items)
  const footer = new ByteWriter(new Uint8Array(APE_FOOTER_BYTES), true).ascii('APETAGEX').u32(2000)
  return concat([
    body,
    footer
      .u32(body.length + APE_FOOTER_BYTES)
      .u32(items.length)
      .finish(),
  ])
}
