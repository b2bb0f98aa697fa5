/** Reads metadata of a WAVE file for containers with other tags: LIST/INFO, broadcast extension, and ID3. */

import { ByteReader } from '../../bytes/reader.ts'
import { readListChunks } from '../../containers/riff/inner-chunks.ts'
import { fourCC } from '../../containers/riff/riff.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import type { Wave } from './header.ts'
import { MAX_ID3_BYTES, MAX_TAG_CHUNK_BYTES } from './tuning.ts'

const INFO_KEYS: { readonly [id: string]: string } = {
  IART: 'artist',
  ICMT: 'comment',
  ICOP: 'copyright',
  ICRD: 'date',
  IGNR: 'genre',
  ILNG: 'language',
  INAM: 'title',
  IPRD: 'album',
  IPRT: 'track',
  ITRK: 'track',
  ISFT: 'encoder',
  ISMP: 'timecode',
  ITCH: 'encoded_by',
}

/** Text chunks of AIFF. */
const IFF_KEYS: { readonly [id: string]: string } = { NAME: 'title', AUTH: 'artist', '(c) ': 'copyright', ANNO: 'comment' }
/** Ids of chunks that `readTags` reads; lists with their type. */
export const TEXT_CHUNKS: readonly string[] = ['LIST INFO', ...Object.keys(IFF_KEYS)]

export type Tags = (readonly [key: string, value: string])[]

export async function readTags(source: Source, wave: Wave): Promise<Tags> {
  const tags: Tags = []
  for (const chunk of wave.chunks) {
    if (chunk.size > MAX_TAG_CHUNK_BYTES) continue
    const key = wave.layout.iff && IFF_KEYS[chunk.id]
    const value = key && text(await source.read(chunk.offset, chunk.size))
    if (key && value) tags.push([key, value])
    if (wave.layout.iff) continue
    const read = chunk.id === 'LIST' ? infoTags : chunk.id === 'bext' ? broadcastTags : undefined
    if (read) for (const tag of read(await source.read(chunk.offset, chunk.size))) tags.push(tag)
  }
  return tags
}

/** Returns the `id3 ` chunk unchanged. @throws CodecError (unsupported_feature) if it is too large */
export async function embeddedId3(source: Source, wave: Wave): Promise<Uint8Array | undefined> {
  const chunk = wave.chunks.find(({ id }) => id === 'id3 ' || id === 'ID3 ')
  if (chunk && chunk.size > MAX_ID3_BYTES) throw unsupported(message('id3_tag_of_bytes', { size: chunk.size }))
  return chunk ? (await source.read(chunk.offset, chunk.size)).slice() : undefined
}

function infoTags(list: Uint8Array): Tags {
  if (fourCC(list, 0) !== 'INFO') return []
  return readListChunks('wav', list.subarray(4), 'LIST INFO').flatMap(({ id, body }): Tags => {
    const value = text(body)
    return value ? [[INFO_KEYS[id] ?? id, value]] : []
  })
}

/** Broadcast extension (EBU Tech 3285): fixed fields, then the coding history. Keys are FFmpeg's. */
function broadcastTags(body: Uint8Array): Tags {
  if (body.length < 602) return []
  const field = (at: number, length: number) => text(body.subarray(at, at + length))
  const tags: Tags = [
    ['description', field(0, 256)],
    ['originator', field(256, 32)],
    ['originator_reference', field(288, 32)],
    ['origination_date', field(320, 10)],
    ['origination_time', field(330, 8)],
    ['time_reference', String(new ByteReader(body, true).bigU64(338))],
    ['coding_history', field(602, body.length - 602)],
  ]
  return tags.filter(([, value]) => value !== '')
}

function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  const used = end < 0 ? bytes : bytes.subarray(0, end)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(used)
  } catch {
    return new TextDecoder('latin1').decode(used)
  }
}
