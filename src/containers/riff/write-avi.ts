/** Writes an AVI 1.0 file with `idx1`: headers as they were (one stream's may be new), chunks in the old order. */
import { concat } from '../../bytes/concat.ts'
import { type Options, type Sink, type Source, UnsupportedFeature } from '../../codec/codec.ts'
import type { Avi, AviChunk, AviStream } from './avi.ts'
import { chunkHeader } from './riff.ts'

/** New pictures for one stream: one per chunk that was not empty, in order. */
export interface NewPictures {
  readonly stream: number
  readonly fourCC: string
  readonly sizes: Uint32Array
  readonly keys: Uint8Array
  readonly from: Source
  /** Where the first one lies in `from`. */
  readonly offset: number
  /** Frames by which players showed the old stream later, because its decoder waits for reordered ones. */
  readonly delay: number
}

interface Entry {
  readonly id: string
  readonly key: boolean
  readonly size: number
  readonly from: Source
  readonly offset: number
}

/** Plain idx1 files end here; larger ones would need OpenDML's indexes. */
const MAX_BYTES = 2 ** 31 - 2 ** 20
const BATCH_BYTES = 1024 * 1024

export interface AviPlan {
  readonly total: number
  write(sink: Sink, options: Options): Promise<void>
}

/** @throws UnsupportedFeature when the result would need OpenDML */
export function planAvi(source: Source, avi: Avi, pictures: NewPictures | undefined): AviPlan {
  const entries = entriesOf(source, avi, pictures)
  const moviBytes = entries.reduce((sum, { size }) => sum + 8 + size + (size & 1), 4)
  const header = list('hdrl', [
    chunk('avih', newAvih(avi)),
    ...avi.streams.map((stream) => streamList(stream, pictures?.stream === stream.index ? pictures : undefined, entries)),
    ...avi.headers.filter(({ body }) => !isOpenDml(body)).map(({ id, body }) => chunk(id, body)),
  ])
  const othersBytes = avi.others.reduce((sum, { size }) => sum + size, 0)
  const total = 12 + header.length + 8 + moviBytes + 8 + entries.length * 16 + othersBytes
  if (total > MAX_BYTES) throw new UnsupportedFeature('an AVI file of more than 2 GiB')
  return {
    total,
    async write(sink, options) {
      const riff = chunkHeader('RIFF', total - 8)
      await sink.write(concat([riff, ascii('AVI '), header, chunkHeader('LIST', moviBytes), ascii('movi')]))
      await writeEntries(entries, sink, options)
      await sink.write(concat([chunkHeader('idx1', entries.length * 16), index(entries)]))
      for (const { offset, size } of avi.others) await sink.write((await source.read(offset, size)).slice())
    },
  }
}

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const chunk = (id: string, body: Uint8Array) => concat([chunkHeader(id, body.length), body, new Uint8Array(body.length & 1)])
const list = (type: string, parts: Uint8Array[]) => chunk('LIST', concat([ascii(type), ...parts]))
const isOpenDml = (body: Uint8Array) => String.fromCharCode(...body.subarray(0, 4)) === 'odml'

function entriesOf(source: Source, avi: Avi, pictures: NewPictures | undefined): Entry[] {
  let frame = 0
  let at = pictures?.offset ?? 0
  return avi.chunks.map((old: AviChunk): Entry => {
    if (!pictures || old.stream !== pictures.stream || old.size === 0) return { ...old, from: source }
    const size = pictures.sizes[frame]!
    const entry = { id: `${old.id.slice(0, 2)}dc`, key: pictures.keys[frame] === 1, size, from: pictures.from, offset: at }
    at += size
    frame++
    return entry
  })
}

/** dwFlags (at 12): has an index, is interleaved as before, need not be read in the index's order. */
function newAvih({ avih }: Avi): Uint8Array {
  const copy = avih.slice()
  const view = new DataView(copy.buffer)
  view.setUint32(12, (view.getUint32(12, true) | 0x10) & ~0x20, true)
  return copy
}

function streamList(stream: AviStream, pictures: NewPictures | undefined, entries: readonly Entry[]): Uint8Array {
  const parts = stream.parts
    .filter(({ id }) => id !== 'JUNK' && id !== 'indx')
    .map(({ id, body }) => {
      if (!pictures) return chunk(id, body)
      if (id === 'strh') {
        const copy = body.slice()
        copy.set(ascii(pictures.fourCC), 4)
        const largest = entries.reduce((most, { from, size }) => (from === pictures.from ? Math.max(most, size) : most), 0)
        const view = new DataView(copy.buffer)
        view.setUint32(28, view.getUint32(28, true) + pictures.delay, true) // dwStart
        view.setUint32(36, largest, true) // dwSuggestedBufferSize
        return chunk(id, copy)
      }
      if (id !== 'strf') return chunk(id, body)
      // BITMAPINFOHEADER alone: what follows it belonged to the old codec.
      const copy = body.slice(0, 40)
      const view = new DataView(copy.buffer)
      view.setUint32(0, 40, true)
      view.setUint16(14, 24, true)
      copy.set(ascii(pictures.fourCC), 16)
      return chunk(id, copy)
    })
  return list('strl', parts)
}

function index(entries: readonly Entry[]): Uint8Array {
  const table = new Uint8Array(entries.length * 16)
  const view = new DataView(table.buffer)
  let at = 4
  entries.forEach(({ id, key, size }, i) => {
    table.set(ascii(id), i * 16)
    view.setUint32(i * 16 + 4, key ? 0x10 : 0, true)
    view.setUint32(i * 16 + 8, at, true)
    view.setUint32(i * 16 + 12, size, true)
    at += 8 + size + (size & 1)
  })
  return table
}

async function writeEntries(entries: readonly Entry[], sink: Sink, options: Options): Promise<void> {
  const windows = new Map<Source, { at: number; bytes: Uint8Array }>()
  const read = async (from: Source, offset: number, size: number) => {
    let window = windows.get(from)
    if (!window || offset < window.at || offset + size > window.at + window.bytes.length) {
      window = { at: offset, bytes: await from.read(offset, Math.max(size, BATCH_BYTES)) }
      windows.set(from, window)
    }
    return window.bytes.subarray(offset - window.at, offset - window.at + size)
  }
  let batch: Uint8Array[] = []
  let bytes = 0
  for (const { id, size, from, offset } of entries) {
    batch.push(chunkHeader(id, size), size ? (await read(from, offset, size)).slice() : new Uint8Array(), new Uint8Array(size & 1))
    bytes += size + 8
    if (bytes < BATCH_BYTES) continue
    options.signal.throwIfAborted()
    await sink.write(concat(batch))
    batch = []
    bytes = 0
  }
  if (bytes) await sink.write(concat(batch))
}
