/** Changed pictures in ZIP packages (Office, OFD, EPUB, KMZ), before and after. The browser's own decompressor inflates them. */

import type { Series } from './series.ts'

interface Entry {
  readonly name: string
  /** Compressed size in the ZIP, in bytes. */
  readonly packed: Blob
  readonly method: number
  readonly crc32: number
  /** Uncompressed size in bytes. */
  readonly size: number
}

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
}
const extensionOf = (name: string) => name.slice(name.lastIndexOf('.') + 1).toLowerCase()
/** Path without extension, because a PNG may have become a JPEG. */
const stemOf = (name: string) => name.slice(0, name.lastIndexOf('.'))

/**
 * Pairs of pictures, largest saving first.
 * @throws if one of the files is not a ZIP
 */
export async function picturesIn(before: Blob, after: Blob): Promise<Series> {
  const [originals, results] = await Promise.all([entriesOf(before), entriesOf(after)])
  const byName = new Map(results.map((entry) => [entry.name, entry]))
  const byStem = new Map(results.map((entry) => [stemOf(entry.name), entry]))
  const pairs = originals
    .map((original) => [original, byName.get(original.name) ?? byStem.get(stemOf(original.name))] as const)
    .filter((pair): pair is [Entry, Entry] => pair[1] !== undefined && (pair[0].crc32 !== pair[1].crc32 || pair[0].size !== pair[1].size))
    .sort(([a, smallerA], [b, smallerB]) => b.size - smallerB.size - (a.size - smallerA.size))
  const count = pairs.length
  return {
    count,
    name: (number) => ['Picture {number} of {count}: {name}', { number, count, name: pairs[number - 1]![0].name.split('/').at(-1)! }],
    pair: (number) => Promise.all([unpacked(pairs[number - 1]![0]), unpacked(pairs[number - 1]![1])]),
    sizes: (number) => [pairs[number - 1]![0].size, pairs[number - 1]![1].size],
    close: () => undefined,
  }
}

const MAX_END_BYTES = 65_557
const END = 0x06054b50

/** Picture entries of the central directory (APPNOTE 4.3.12, 4.3.16). */
async function entriesOf(zip: Blob): Promise<Entry[]> {
  const tail = await viewOf(zip.slice(-MAX_END_BYTES))
  let end = tail.byteLength - 22
  while (end >= 0 && tail.getUint32(end, true) !== END) end--
  // Throws if the end of central directory record is missing.
  const directory = await viewOf(zip.slice(tail.getUint32(end + 16, true)))
  const entries: Entry[] = []
  for (let at = 0, left = tail.getUint16(end + 10, true); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => directory.getUint16(at + field, true)) as [
      number,
      number,
      number,
    ]
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, at + 46, nameLength))
    const [method, crc32, packedSize, size, offset] = [
      directory.getUint16(at + 10, true),
      ...[16, 20, 24, 42].map((field) => directory.getUint32(at + field, true)),
    ] as [number, number, number, number, number]
    if (extensionOf(name) in TYPES) {
      const local = await viewOf(zip.slice(offset, offset + 30))
      const start = offset + 30 + local.getUint16(26, true) + local.getUint16(28, true)
      entries.push({ name, packed: zip.slice(start, start + packedSize), method, crc32, size })
    }
    at += 46 + nameLength + extraLength + commentLength
  }
  return entries
}

const viewOf = async (part: Blob) => new DataView(await part.arrayBuffer())

async function unpacked({ name, packed, method }: Entry): Promise<Blob> {
  const stream = method === 0 ? packed.stream() : packed.stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Blob([await new Response(stream).arrayBuffer()], { type: TYPES[extensionOf(name)]! })
}
