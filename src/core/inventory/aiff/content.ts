/** Reads chunks that AIFF files and FLAC files with foreign metadata share. */
import { digestOfRange, digestText, isZero } from '../media/digests.ts'
import { be16, be32, textOf } from '../media/numbers.ts'
import { addTag, type ChunkTarget } from '../riff/content.ts'
import { readId3 } from '../tags/id3.ts'
import type { IffChunk } from './chunks.ts'

/** Chunks that describe how samples are stored. */
const STORAGE = ['FORM', 'COMM', 'SSND', 'FVER']
/** Chunks that only fill space if all their bytes are zero. */
const FILLING = ['FLLR', 'JUNK', 'PAD ']
/** Text chunks and the common names of their content. */
const TEXTS: { readonly [id: string]: string | undefined } = { NAME: 'title', AUTH: 'artist', '(c) ': 'copyright', ANNO: 'comment' }
const MAX_TEXT_BYTES = 64 * 1024
const MAX_MARKERS = 10_000

/** Adds what a chunk of an AIFF file tells besides samples. */
export async function readIffChunk(target: ChunkTarget, { id, body, end }: IffChunk): Promise<void> {
  const { view, items } = target
  if (STORAGE.includes(id)) return
  if (FILLING.includes(id) && (await isZero(view, body, end))) return
  const text = TEXTS[id]
  const bytes = async () => (await view.bytesUpTo(body, Math.min(end - body, MAX_TEXT_BYTES))).slice()
  if (text !== undefined) {
    const all = await bytes()
    addTag(target, text, textOf(all.subarray(0, all.includes(0) ? all.indexOf(0) : all.length)))
  } else if (id === 'MARK') readMarkers(target, await bytes())
  else if (id === 'INST') items.add('loops', `INST = ${digestText(await bytes())}`)
  else if (id === 'ID3 ' || id === 'id3 ') {
    const found = await readId3(view, body, end, (name, value) => addTag(target, name, value), items)
    if (!found) items.add('chunks', `ID3 = ${await digestOfRange(view, body, end - body)}`)
  } else items.add('chunks', `${id.trim()} = ${await digestOfRange(view, body, end - body)}`)
}

/** Markers (MARK): count, then id, sample and a name of an even number of bytes, which begins with its length. */
function readMarkers({ items }: ChunkTarget, bytes: Uint8Array): void {
  const count = Math.min(be16(bytes, 0), MAX_MARKERS)
  let at = 2
  for (let i = 0; i < count && at + 7 <= bytes.length; i++) {
    const length = bytes[at + 6]!
    items.add('cue_points', `marker ${be16(bytes, at)} = ${be32(bytes, at + 2)} ${textOf(bytes.subarray(at + 7, at + 7 + length))}`)
    at += 7 + length + ((length + 1) & 1)
  }
}
