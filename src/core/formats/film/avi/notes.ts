/** Reads metadata of an AVI file for a movie: `LIST INFO`, the date of recording, names of streams and the shape of pixels. */
import { latin1Of } from '../../../bytes/latin1.ts'
import { ByteReader } from '../../../bytes/reader.ts'
import type { Avi, AviStream } from '../../../containers/riff/avi.ts'
import { fourCC } from '../../../containers/riff/riff.ts'
import type { Source } from '../../../model/codec.ts'
import { pixelShape } from '../pixel-shape.ts'
import type { Notes } from '../sample-table.ts'

/**
 * Names of metadata items for the entries of `LIST INFO` (Multimedia Programming Interface 1.0, chapter 2): iTunes items, or FFmpeg's
 * names. Other entries keep their name.
 */
const NOTES: { readonly [id: string]: string } = {
  INAM: '©nam',
  IART: '©ART',
  ICMT: '©cmt',
  ICRD: '©day',
  IGNR: '©gen',
  ICOP: 'cprt',
  ISFT: '©too',
  IPRD: '©alb',
  ILNG: 'language',
  IPRT: 'track',
  ITRK: 'track',
  ISMP: 'timecode',
  ITCH: 'encoded_by',
}
const MAX_NOTES_BYTES = 64 * 1024

/** Returns the metadata of the file. A value that occurs twice is returned once. */
export async function notesOf(source: Source, file: Avi): Promise<Notes> {
  const chunks = file.headers.map(({ id, body }) => ({ id, body }))
  for (const { id, offset, size } of file.others) {
    if ((id === 'LIST' || id === 'IDIT') && size <= MAX_NOTES_BYTES)
      chunks.push({ id, body: (await source.read(offset + 8, size - 8)).slice() })
  }
  const notes = new Map<string, readonly [string, string]>()
  const add = (name: string, bytes: Uint8Array) => {
    const text = textOf(bytes)
    if (text) notes.set(`${name} ${text}`, [name, text])
  }
  for (const { id, body } of chunks) {
    if (id === 'IDIT') add(id, body)
    else if (id === 'LIST' && fourCC(body, 0) === 'INFO') for (const [entry, text] of entriesOf(body)) add(NOTES[entry] ?? entry, text)
  }
  return [...notes.values()]
}

/** Entries of `LIST INFO`. An entry that is longer than the list ends with it, as players read it. */
function* entriesOf(list: Uint8Array): Generator<readonly [id: string, text: Uint8Array]> {
  const reader = new ByteReader(list, true)
  for (let at = 4; at + 8 <= list.length; ) {
    const size = reader.u32(at + 4)
    yield [fourCC(list, at), list.subarray(at + 8, Math.min(list.length, at + 8 + size))]
    at += 8 + size + (size & 1)
  }
}

/** Name of a stream (`strn`). `undefined`: none. */
export function titleOf({ parts }: AviStream): string | undefined {
  const name = parts.find(({ id }) => id === 'strn')
  return (name && textOf(name.body)) || undefined
}

/**
 * Width and height of a pixel from the video properties (OpenDML 1.02, section 5.1): aspect ratio at 20 (height, then width), size at 24
 * and 28. `undefined`: square, or the file does not tell.
 */
export function pixelShapeOf({ parts }: AviStream): readonly [number, number] | undefined {
  const properties = parts.find(({ id }) => id === 'vprp')
  if (!properties || properties.body.length < 32) return undefined
  const reader = new ByteReader(properties.body, true)
  const [width, height] = [reader.u16(22) * reader.u32(28), reader.u16(20) * reader.u32(24)]
  if (width === 0 || height === 0 || width === height) return undefined
  return pixelShape(width, height)
}

/** Text up to the first zero, as UTF-8, or as Latin-1 if it is not UTF-8. */
function textOf(bytes: Uint8Array): string {
  const text = bytes.subarray(0, bytes.includes(0) ? bytes.indexOf(0) : bytes.length)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(text).trim()
  } catch {
    return latin1Of(text).trim()
  }
}
