/** Reads AIFF and AIFF-C files ("Audio Interchange File Format", Apple, versions 1.3 and C): big-endian chunks in a `FORM`. */
import { ByteReader } from '../../../bytes/reader.ts'
import { fourCC, type RiffChunk } from '../../../containers/riff/riff.ts'
import { message } from '../../../i18n/message.ts'
import type { Source } from '../../../model/codec.ts'
import { malformed, unsupported } from '../../../model/error.ts'
import type { Coding, Layout, Wave } from '../header.ts'
import { isAiffHead } from './aiff-head.ts'

/** Bytes of the fields of COMM that AIFF has: channels, frames, bits, sample rate. AIFF-C adds the kind of compression and its name. */
export const COMM_BYTES = 18
const MAX_CHUNKS = 10_000
/** Bytes of offset and block size at the start of SSND. */
const SSND_HEAD_BYTES = 8

interface Kind {
  readonly coding: Coding
  readonly isLittleEndian?: true
  /** True if samples of 8 bits are unsigned. */
  readonly isUnsigned8?: true
  /** Bits of a sample, whatever COMM tells. */
  readonly bits?: 8 | 32 | 64
}
/** Kinds of compression. AIFF has `NONE`. Programs write names in both cases. */
const KINDS: { readonly [id: string]: Kind } = {
  NONE: { coding: 'integer' },
  twos: { coding: 'integer' },
  sowt: { coding: 'integer', isLittleEndian: true },
  'raw ': { coding: 'integer', isUnsigned8: true },
  fl32: { coding: 'float', bits: 32 },
  FL32: { coding: 'float', bits: 32 },
  fl64: { coding: 'float', bits: 64 },
  FL64: { coding: 'float', bits: 64 },
  alaw: { coding: 'alaw', bits: 8 },
  ALAW: { coding: 'alaw', bits: 8 },
  ulaw: { coding: 'mulaw', bits: 8 },
  ULAW: { coding: 'mulaw', bits: 8 },
}

/** @throws CodecError (malformed) for damaged files, CodecError (unsupported_feature) for unknown kinds of compression */
export async function readAiff(source: Source): Promise<Wave> {
  const head = await source.read(0, 12)
  if (!isAiffHead(head)) throw malformed('aiff', 0, 'aiff_no_form')
  const form = fourCC(head, 8)
  const end = 8 + new ByteReader(head, false).u32(4)
  if (end > source.size) throw malformed('aiff', 4, message('aiff_form_longer_than_file', { size: end, fileSize: source.size }))
  const chunks = await readChunks(source, end)
  const only = (id: string) => {
    const found = chunks.filter((chunk) => chunk.id === id)
    if (found.length > 1) throw unsupported(message('aiff_several_chunks', { id }))
    return found[0]
  }
  const [comm, sound] = [only('COMM'), only('SSND')]
  if (!comm || comm.size < (form === 'AIFC' ? COMM_BYTES + 4 : COMM_BYTES)) throw malformed('aiff', 12, 'aiff_no_comm')
  const { layout, frames } = readCommon(await source.read(comm.offset, Math.min(comm.size, 64)), form, comm.offset)
  const data = await soundData(source, sound, frames * layout.blockBytes)
  return { layout, chunks, data, frames, tail: { offset: end, size: source.size - end }, container: form }
}

/** @throws CodecError (malformed) if a chunk is longer than the form */
async function readChunks(source: Source, end: number): Promise<RiffChunk[]> {
  const chunks: RiffChunk[] = []
  for (let at = 12; at + 8 <= end; ) {
    const header = await source.read(at, 8)
    const chunk = { id: fourCC(header, 0), offset: at + 8, size: new ByteReader(header, false).u32(4) }
    if (!/^[ -~]{4}$/.test(chunk.id)) throw malformed('aiff', at, 'no_chunk_where_one_before_ends')
    if (chunk.offset + chunk.size > end)
      throw malformed('aiff', at, message('chunk_of_bytes_runs_over_end', { id: chunk.id, size: chunk.size }))
    chunks.push(chunk)
    if (chunks.length > MAX_CHUNKS) throw malformed('aiff', at, 'too_many_chunks')
    at = chunk.offset + chunk.size + (chunk.size & 1)
  }
  return chunks
}

function readCommon(body: Uint8Array, form: string, offset: number): { layout: Layout; frames: number } {
  const reader = new ByteReader(body, false)
  const id = form === 'AIFC' ? fourCC(body, COMM_BYTES) : 'NONE'
  const kind = KINDS[id]
  const channels = reader.u16(0)
  const stored = Math.ceil(reader.u16(6) / 8) * 8
  const bits = kind?.bits ?? stored
  const hertz = extended(reader, 8)
  if (channels === 0 || channels > 64 || !(hertz >= 1) || hertz > 3_072_000) throw malformed('aiff', offset, 'absurd_channels_or_rate')
  const isKnown = kind !== undefined && (kind.bits !== undefined || [8, 16, 24, 32].includes(bits))
  const layout: Layout = {
    coding: isKnown ? kind.coding : 'other',
    channels,
    hertz: Math.round(hertz),
    bits,
    blockBytes: (channels * bits) / 8,
    blockSamples: 1,
    mask: undefined,
    iff: {
      isLittleEndian: kind?.isLittleEndian === true,
      isUnsigned8: kind?.isUnsigned8 === true,
      compression: id,
      isWholeRate: Number.isInteger(hertz),
    },
  }
  return { layout, frames: reader.u32(2) }
}

/** Sample rate as 80-bit floating point (IEEE 754 extended): 15 bits of exponent, 64 bits of significand. */
function extended(reader: ByteReader, at: number): number {
  return reader.u64(at + 2) * 2 ** ((reader.u16(at) & 0x7fff) - 16_383 - 63)
}

/** Range of the samples. @throws CodecError (malformed) if samples are missing, or other data follows them */
async function soundData(source: Source, chunk: RiffChunk | undefined, bytes: number): Promise<RiffChunk> {
  if (!chunk) {
    if (bytes > 0) throw malformed('aiff', 12, 'aiff_no_sound')
    return { id: 'SSND', offset: 0, size: 0 }
  }
  const head = await source.read(chunk.offset, SSND_HEAD_BYTES)
  if (head.length < SSND_HEAD_BYTES || chunk.size < SSND_HEAD_BYTES) throw malformed('aiff', chunk.offset, 'aiff_no_sound')
  const skipped = new ByteReader(head, false).u32(0)
  if (chunk.size - SSND_HEAD_BYTES !== skipped + bytes)
    throw malformed('aiff', chunk.offset, message('aiff_sound_of_bytes', { size: chunk.size - SSND_HEAD_BYTES - skipped, expected: bytes }))
  return { id: 'SSND', offset: chunk.offset + SSND_HEAD_BYTES + skipped, size: bytes }
}
