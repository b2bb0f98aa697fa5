/** Removes metadata chunks from WAVE files. */
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import { readListChunks } from '../../containers/riff/inner-chunks.ts'
import { chunkHeader, fourCC, type RiffChunk, readRiff } from '../../containers/riff/riff.ts'
import type { Source } from '../../model/codec.ts'
import { RIFF_CREDENTIALS, signedByCredentials } from '../../model/content-credentials.ts'
import { type Piece, piecesBytes, sameIfUnchanged, splice } from '../../model/splice.ts'
import { MAX_TAG_CHUNK_BYTES } from './tuning.ts'

/** Chunks that sound and its playback need: format, sizes, samples, markers and loops. All other chunks are metadata. */
const SOUND = new Set(['fmt ', 'fact', 'data', 'ds64', 'cue ', 'smpl', 'inst', 'plst', 'slnt', 'wavl', 'acid', 'PEAK', 'levl', 'chna'])
/** Fields of LIST/INFO about rights and authors. */
const LAW = new Set(['ICOP', 'IART', 'ICMS'])

/**
 * Returns the file without the chunks that `mode` removes, and without the bytes behind the form. Labels of cue points stay.
 * @throws CodecError for damaged files
 */
export async function withoutWavMetadata(source: Source, mode: RemovingMode): Promise<Source> {
  const riff = await readRiff(source, 'wav')
  if (riff.chunks.some(({ id }) => id === RIFF_CREDENTIALS)) throw signedByCredentials()
  if (riff.form !== 'WAVE' || (riff.container !== 'RIFF' && riff.container !== 'RF64' && riff.container !== 'BW64')) return source
  const kept: Piece[] = []
  for (const chunk of riff.chunks) for (const piece of await keptChunk(source, chunk, mode)) kept.push(piece)
  const bodyBytes = 4 + piecesBytes(kept)
  const head = (await source.read(0, 12)).slice()
  if (riff.container === 'RIFF') new ByteWriter(head, true).at(4).u32(bodyBytes)
  const pieces: Piece[] = [head, ...kept]
  return sameIfUnchanged(
    source,
    splice(source, riff.container === 'RIFF' ? pieces : await withWideSize(source, riff.chunks[0], pieces, bodyBytes)),
  )
}

async function keptChunk(source: Source, { id, offset, size }: RiffChunk, mode: RemovingMode): Promise<Piece[]> {
  const end = Math.min(source.size, offset + size + (size & 1))
  const whole: Piece = { from: offset - 8, to: end }
  if (SOUND.has(id)) return [whole]
  if (id !== 'LIST' || size > MAX_TAG_CHUNK_BYTES) return []
  const list = await source.read(offset, size)
  const type = fourCC(list, 0)
  if (type === 'adtl' || type === 'wavl') return [whole]
  if (type !== 'INFO' || mode === 'strip') return []
  const fields = readListChunks('wav', list.subarray(4), 'LIST INFO').filter((field) => LAW.has(field.id))
  if (fields.length === 0) return []
  const body = concat(
    fields.flatMap((field) => [chunkHeader(field.id, field.body.length), field.body, new Uint8Array(field.body.length & 1)]),
  )
  return [concat([chunkHeader('LIST', 4 + body.length), new TextEncoder().encode('INFO'), body])]
}

/** Writes the new size of a form with 64-bit sizes into its `ds64` chunk, which is the first one (EBU Tech 3306, section 3). */
async function withWideSize(source: Source, ds64: RiffChunk | undefined, pieces: readonly Piece[], bodyBytes: number): Promise<Piece[]> {
  if (ds64?.id !== 'ds64' || ds64.size > MAX_TAG_CHUNK_BYTES) return [...pieces]
  const chunk = (await source.read(ds64.offset - 8, ds64.size + 8)).slice()
  if (latin1Of(chunk.subarray(0, 4)) !== 'ds64') return [...pieces]
  new ByteWriter(chunk, true).at(8).u64(bodyBytes)
  const rest = pieces.map((piece) =>
    !(piece instanceof Uint8Array) && piece.from === ds64.offset - 8 ? { from: piece.from + chunk.length, to: piece.to } : piece,
  )
  return [rest[0]!, chunk, ...rest.slice(1)]
}
