/** Builds Matroska files for tests. The blocks have random bytes. */
import { concat } from '../../src/core/bytes/concat.ts'
import { crc32 } from '../../src/core/bytes/crc32.ts'
import { latin1Bytes } from '../../src/core/bytes/latin1.ts'
import { idBytesOf, writeUnsigned } from '../../src/core/containers/ebml/element.ts'
import { randomBytes } from './ogg-file.ts'

const unsigned = (value: number, length: number) => {
  const bytes = new Uint8Array(length)
  writeUnsigned(bytes, 0, length, value)
  return bytes
}

/** Element with a size field of `sizeBytes`; default: 8, which is longer than needed. */
export function element(id: number, body: Uint8Array | readonly Uint8Array[], sizeBytes = 8): Uint8Array {
  const bytes = body instanceof Uint8Array ? body : concat(body)
  const size = unsigned(bytes.length, sizeBytes)
  size[0]! |= 1 << (8 - sizeBytes)
  return concat([unsigned(id, idBytesOf(id)), size, bytes])
}

/** Element of unknown size. */
export const openElement = (id: number, children: readonly Uint8Array[]): Uint8Array =>
  concat([unsigned(id, idBytesOf(id)), Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 255), ...children])

export const number = (id: number, value: number, length = 8): Uint8Array => element(id, unsigned(value, length), 1)
export const text = (id: number, value: string): Uint8Array => element(id, latin1Bytes(value), 1)
export const space = (length: number): Uint8Array => element(0xec, new Uint8Array(length), 2)

/** Element whose first child is the checksum of the others. */
export function withChecksum(id: number, children: readonly Uint8Array[]): Uint8Array {
  const body = concat(children)
  const crc = new Uint8Array(4)
  new DataView(crc.buffer).setUint32(0, crc32(body), true)
  return element(id, [element(0xbf, crc, 1), body])
}

export const ebmlHeader = (type: 'matroska' | 'webm' = 'matroska'): Uint8Array =>
  element(0x1a45dfa3, [number(0x4286, 1, 1), text(0x4282, type), number(0x4287, 4, 1), number(0x4285, 2, 1)], 1)

export const block = (track: number, time: number, length: number): Uint8Array =>
  element(0xa3, concat([Uint8Array.of(0x80 | track, time >> 8, time & 255, 0x80), randomBytes(length, time + 1)]))

export const info = (): Uint8Array =>
  withChecksum(0x1549a966, [number(0x2ad7b1, 1_000_000, 3), text(0x7ba9, 'Film'), text(0x4d80, 'muxer')])
export const tracks = (): Uint8Array =>
  withChecksum(0x1654ae6b, [
    element(0xae, [number(0xd7, 1, 1), number(0x83, 1, 1), text(0x86, 'V_VP9'), element(0xe0, [number(0xb0, 64, 1), number(0xba, 48, 1)])]),
    element(0xae, [
      number(0xd7, 2, 1),
      number(0x83, 2, 1),
      text(0x86, 'A_OPUS'),
      text(0x22b59c, 'ger'),
      element(0x63a2, randomBytes(19, 3)),
    ]),
  ])
export const chapters = (): Uint8Array =>
  element(0x1043a770, [element(0x45b9, [element(0xb6, [number(0x91, 0, 1), element(0x80, [text(0x85, 'Start')])])])])
export const tags = (): Uint8Array =>
  element(0x1254c367, [element(0x7373, [element(0x67c8, [text(0x45a3, 'ARTIST'), text(0x4487, 'Someone')])])])
export const attachment = (name: string, type: string, data: Uint8Array): Uint8Array =>
  element(0x1941a469, [element(0x61a7, [text(0x466e, name), text(0x4660, type), element(0x465c, data)])])

export interface FilmOptions {
  readonly type?: 'matroska' | 'webm'
  readonly clusters?: number
  /** True: no index, and elements of unknown size, as in live streams. */
  readonly live?: boolean
  /** Elements behind the tags. */
  readonly more?: readonly Uint8Array[]
  /** Changes a position of the index; default: none. */
  readonly wrong?: number
}

/** Film with an index in front, clusters with checksums, positions and groups, cues with positions in clusters, tags and chapters. */
export function film({ type = 'matroska', clusters = 6, live = false, more = [], wrong = 0 }: FilmOptions = {}): Uint8Array {
  const parts: Uint8Array[] = []
  let at = 0
  const add = (part: Uint8Array) => {
    parts.push(part)
    at += part.length
    return at - part.length
  }
  const seekHeadBytes = withChecksum(0x114d9b74, [seek(0x1c53bb6b, 0), seek(0x1254c367, 0)]).length
  const front = live ? [] : [new Uint8Array(seekHeadBytes), space(100)]
  for (const part of [...front, info(), tracks()]) add(part)
  const cues: Uint8Array[] = []
  let previous = 0
  for (let i = 0; i < clusters; i++) {
    const children = clusterChildren(i, at, previous, live)
    const cluster = live ? openElement(0x1f43b675, children) : withChecksum(0x1f43b675, children)
    // The first block follows the checksum (6 bytes) and all other children but the last two.
    const position = 6 + concat(children.slice(0, -2)).length
    const clusterAt = add(cluster)
    previous = cluster.length
    cues.push(
      element(0xbb, [number(0xb3, i * 1000), element(0xb7, [number(0xf7, 1, 1), number(0xf1, clusterAt), number(0xf0, position + wrong)])]),
    )
  }
  const cuesAt = live ? 0 : add(withChecksum(0x1c53bb6b, cues))
  const tagsAt = add(tags())
  for (const part of [chapters(), ...more]) add(part)
  if (!live) parts[0] = withChecksum(0x114d9b74, [seek(0x1c53bb6b, cuesAt), seek(0x1254c367, tagsAt)])
  return concat([ebmlHeader(type), live ? openElement(0x18538067, parts) : element(0x18538067, parts)])
}

const seek = (id: number, position: number) => element(0x4dbb, [element(0x53ab, unsigned(id, 4)), number(0x53ac, position)])

function clusterChildren(i: number, at: number, previous: number, live: boolean): Uint8Array[] {
  const place = live ? [] : [number(0xa7, at), number(0xab, previous)]
  const group = element(0xa0, [element(0xa1, concat([Uint8Array.of(0x82, 0, 9, 0), randomBytes(60, i)])), number(0x9b, 20, 2), space(5)])
  return [number(0xe7, i * 1000), ...place, space(20), block(1, 0, 300 + i), group]
}
