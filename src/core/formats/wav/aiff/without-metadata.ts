/** Removes metadata chunks from AIFF files. */

import { ByteWriter } from '../../../bytes/writer.ts'
import type { RemovingMode } from '../../../catalog/metadata.ts'
import type { Source } from '../../../model/codec.ts'
import { type Piece, piecesBytes, sameIfUnchanged, splice } from '../../../model/splice.ts'
import { readAiff } from './read-aiff.ts'

/** Chunks that sound and its playback need: format, samples, markers, loops, MIDI data, channels. All other chunks are metadata. */
const SOUND = new Set(['COMM', 'SSND', 'FVER', 'MARK', 'INST', 'MIDI', 'CHAN', 'AESD'])
/** Chunks about rights and authors. */
const LAW = new Set(['AUTH', '(c) '])

/** Returns the file without the chunks that `mode` removes, and without the bytes behind the form. @throws CodecError for damaged files */
export async function withoutAiffMetadata(source: Source, mode: RemovingMode): Promise<Source> {
  const { chunks, tail } = await readAiff(source)
  const kept = chunks.filter(({ id }) => SOUND.has(id) || (mode === 'safe' && LAW.has(id)))
  const pieces: Piece[] = kept.map(({ offset, size }) => ({ from: offset - 8, to: Math.min(tail.offset, offset + size + (size & 1)) }))
  const head = (await source.read(0, 12)).slice()
  new ByteWriter(head, false).at(4).u32(4 + piecesBytes(pieces))
  return sameIfUnchanged(source, splice(source, [head, ...pieces]))
}
