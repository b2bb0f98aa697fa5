/** Builds and reads small TIFF files of every kind with plain code, independent of the codec. */
import { deflateSync, inflateSync, zstdCompressSync } from 'node:zlib'

export interface Picture {
  width: number
  height: number
  bits: number
  samples: number
  planar?: boolean
  floating?: boolean
  /** Tile width and height. `undefined`: strips. */
  tile?: [number, number]
  rowsPerStrip?: number
  /** Compression. 7: `pixels` are a JPEG stream in one strip. */
  compression?: 1 | 5 | 7 | 8 | 32773 | 50000 | 32946 | 34925
  predictor?: 1 | 2 | 3
  /** True: FillOrder 2. */
  mirrored?: boolean
  /** Indexes of strips or tiles that are never written. */
  sparse?: number[]
  /** Further fields: tag, type, and the value's bytes, in little-endian 2-byte units if the type is SHORT. */
  extra?: { tag: number; type: number; count: number; bytes: Uint8Array }[]
  /** Directories of the SubIFDs tag. */
  subIfds?: Picture[]
  exif?: { tag: number; type: number; count: number; bytes: Uint8Array }[]
  /** Sample bytes: plane after plane or interleaved, rows packed to whole bytes. */
  pixels?: Uint8Array
}

export interface Shape {
  littleEndian?: boolean
  big?: boolean
  /** Writes directories first, then GDAL's structural metadata and tile lengths, then the tiles. */
  cog?: boolean
}

export const rowBytes = (picture: Picture, width = picture.width) =>
  Math.ceil((width * (picture.planar ? 1 : picture.samples) * picture.bits) / 8)

const planesOf = (picture: Picture) => (picture.planar ? picture.samples : 1)

/** A gradient with texture, different for each plane. */
export function makePixels(picture: Picture): Uint8Array {
  const bytes = new Uint8Array(rowBytes(picture) * picture.height * planesOf(picture))
  if (picture.floating && picture.bits === 32) {
    const floats = new DataView(bytes.buffer)
    for (let i = 0; i * 4 < bytes.length; i++) floats.setFloat32(i * 4, 500 + Math.sin(i / 40) * 100 + (i % 7) / 8, true)
    return bytes
  }
  for (let i = 0; i < bytes.length; i++) bytes[i] = 90 + 60 * Math.sin(i / 300) + ((i * 7) % 5) + (i % 3) * 20
  return bytes
}

/** Cuts a plane into strips or tiles. Tile padding repeats the last column; padding rows are zero. */
function chunksOf(picture: Picture, pixels: Uint8Array): Uint8Array[] {
  const row = rowBytes(picture)
  const planes = planesOf(picture)
  const chunks: Uint8Array[] = []
  for (let plane = 0; plane < planes; plane++) {
    const at = plane * row * picture.height
    if (!picture.tile) {
      const rows = picture.rowsPerStrip ?? picture.height
      for (let y = 0; y < picture.height; y += rows) chunks.push(pixels.slice(at + y * row, at + Math.min(picture.height, y + rows) * row))
      continue
    }
    const [tileWidth, tileHeight] = picture.tile
    const tileRow = rowBytes(picture, tileWidth)
    for (let ty = 0; ty < picture.height; ty += tileHeight) {
      for (let left = 0; left < row; left += tileRow) {
        const tile = new Uint8Array(tileRow * tileHeight)
        for (let y = 0; y < tileHeight && ty + y < picture.height; y++) {
          const line = pixels.subarray(at + (ty + y) * row, at + (ty + y + 1) * row)
          tile.set(line.subarray(left, left + tileRow), y * tileRow)
        }
        chunks.push(tile)
      }
    }
  }
  return chunks
}

/** Plain predictors, sample by sample. */
function predict(chunk: Uint8Array, picture: Picture, undo: boolean, littleEndian: boolean): Uint8Array {
  const out = chunk.slice()
  const row = rowBytes(picture, picture.tile?.[0])
  const samples = picture.planar ? 1 : picture.samples
  const size = picture.bits / 8
  for (let at = 0; at + row <= out.length; at += row) {
    if (picture.predictor === 2) {
      const values: bigint[] = []
      for (let i = 0; i < row; i += size) {
        let value = 0n
        for (let b = 0; b < size; b++) value |= BigInt(out[at + i + b]!) << BigInt(8 * (littleEndian ? b : size - 1 - b))
        values.push(value)
      }
      const result = [...values]
      for (let i = samples; i < values.length; i++) {
        result[i] = undo ? (result[i - samples]! + values[i]!) & ((1n << BigInt(picture.bits)) - 1n) : values[i]! - values[i - samples]!
      }
      result.forEach((value, i) => {
        for (let b = 0; b < size; b++) out[at + i * size + b] = Number((value >> BigInt(8 * (littleEndian ? b : size - 1 - b))) & 255n)
      })
    } else if (picture.predictor === 3) {
      const line = out.slice(at, at + row)
      const count = row / size
      const weight = (b: number) => (littleEndian ? size - 1 - b : b)
      if (undo) {
        for (let i = samples; i < row; i++) line[i] = line[i]! + line[i - samples]!
        for (let i = 0; i < count; i++) for (let b = 0; b < size; b++) out[at + i * size + weight(b)] = line[b * count + i]!
      } else {
        const split = new Uint8Array(row)
        for (let i = 0; i < count; i++) for (let b = 0; b < size; b++) split[b * count + i] = line[i * size + weight(b)]!
        for (let i = 0; i < row; i++) out[at + i] = i < samples ? split[i]! : split[i]! - split[i - samples]!
      }
    }
  }
  return out
}

function encode(raw: Uint8Array, picture: Picture, littleEndian: boolean): Uint8Array {
  const predicted = (picture.predictor ?? 1) === 1 ? raw : predict(raw, picture, false, littleEndian)
  const packed =
    picture.compression === 5
      ? lzw(predicted)
      : picture.compression === 8 || picture.compression === 32946
        ? deflateSync(predicted, { level: 1 })
        : picture.compression === 32773
          ? packBits(predicted)
          : picture.compression === 50000
            ? zstdCompressSync(predicted)
            : predicted
  return picture.mirrored ? packed.map(mirror) : packed
}

const mirror = (byte: number) => Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2)

/** LZW with codes that start at the most significant bit. */
export function lzw(bytes: Uint8Array): Uint8Array {
  const out: number[] = []
  let bits = 0
  let count = 0
  let width = 9
  const put = (code: number) => {
    bits = (bits << width) | code
    count += width
    while (count >= 8) {
      out.push((bits >> (count - 8)) & 255)
      count -= 8
      bits &= (1 << count) - 1
    }
  }
  let table = new Map<string, number>()
  let next = 258
  put(256)
  let run = ''
  for (const byte of bytes) {
    const longer = run + String.fromCharCode(byte)
    if (longer.length === 1 || table.has(longer)) {
      run = longer
      continue
    }
    put(run.length === 1 ? run.charCodeAt(0) : table.get(run)!)
    table.set(longer, next++)
    run = String.fromCharCode(byte)
    if (next === 4095) {
      put(run.charCodeAt(0))
      put(256)
      table = new Map()
      next = 258
      width = 9
      run = ''
    } else if (next > (1 << width) - 1) width++
  }
  if (run !== '') {
    put(run.length === 1 ? run.charCodeAt(0) : table.get(run)!)
    if (next + 1 > (1 << width) - 1 && width < 12) width++
  }
  put(257)
  if (count > 0) out.push((bits << (8 - count)) & 255)
  return Uint8Array.from(out)
}

function packBits(bytes: Uint8Array): Uint8Array {
  const out: number[] = []
  for (let i = 0; i < bytes.length; ) {
    let run = 1
    while (run < 128 && bytes[i + run] === bytes[i]) run++
    if (run > 2) {
      out.push(257 - run, bytes[i]!)
      i += run
      continue
    }
    const literal = bytes.subarray(i, i + 100)
    out.push(literal.length - 1, ...literal)
    i += literal.length
  }
  return Uint8Array.from(out)
}

const SIZES: { [type: number]: number } = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 11: 4, 12: 8, 13: 4, 16: 8 }

export function buildTiff(pictures: Picture[], { littleEndian = true, big = false, cog = false }: Shape = {}): Uint8Array {
  const out: { at: number; bytes: Uint8Array }[] = []
  let end = big ? 16 : 8
  const offsetBytes = big ? 8 : 4
  const place = (bytes: Uint8Array, align = 1) => {
    end = Math.ceil(end / align) * align
    out.push({ at: end, bytes })
    end += bytes.length
    return end - bytes.length
  }
  const number = (size: number, value: number) => {
    const bytes = new Uint8Array(size)
    const view = new DataView(bytes.buffer)
    if (size === 2) view.setUint16(0, value, littleEndian)
    else if (size === 4) view.setUint32(0, value, littleEndian)
    else view.setBigUint64(0, BigInt(value), littleEndian)
    return bytes
  }
  const numbers = (size: number, values: number[]) => Uint8Array.from(values.flatMap((value) => [...number(size, value)]))
  if (cog) {
    const text =
      'LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\nBLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n '
    place(new TextEncoder().encode(`GDAL_STRUCTURAL_METADATA_SIZE=${String(text.length).padStart(6, '0')} bytes\n${text}`))
  }
  interface Slot {
    next: number
  }
  const directory = (fields: { tag: number; type: number; count: number; bytes: Uint8Array }[]): { at: number; slot: Slot } => {
    const sorted = fields.sort((a, b) => a.tag - b.tag)
    const length = (big ? 8 : 2) + sorted.length * (big ? 20 : 12) + offsetBytes
    const at = place(new Uint8Array(length), 8)
    const bytes = out.at(-1)!.bytes
    let p = big ? 8 : 2
    bytes.set(number(big ? 8 : 2, sorted.length))
    for (const field of sorted) {
      bytes.set(number(2, field.tag), p)
      bytes.set(number(2, field.type), p + 2)
      bytes.set(number(offsetBytes, field.count), p + 4)
      if (field.bytes.length <= offsetBytes) bytes.set(field.bytes, p + 4 + offsetBytes)
      else bytes.set(number(offsetBytes, place(field.bytes, 2)), p + 4 + offsetBytes)
      p += big ? 20 : 12
    }
    return { at, slot: { next: at + length - offsetBytes } }
  }
  const field = (tag: number, type: number, values: number[]) => ({ tag, type, count: values.length, bytes: numbers(SIZES[type]!, values) })
  const write = (picture: Picture): { at: number; slot: Slot } => {
    const chunks = chunksOf(picture, picture.pixels ?? makePixels(picture)).map((raw) => encode(raw, picture, littleEndian))
    const offsets = chunks.map(() => 0)
    const lengths = chunks.map((chunk, i) => (picture.sparse?.includes(i) ? 0 : chunk.length))
    const store = () =>
      chunks.forEach((chunk, i) => {
        if (picture.sparse?.includes(i)) return
        if (cog) place(numbersLittle(chunk.length))
        offsets[i] = place(chunk)
        if (cog) place(chunk.slice(-4))
      })
    if (!cog) store()
    const subs = (picture.subIfds ?? []).map((sub) => write(sub).at)
    const exif = picture.exif ? directory(picture.exif.map((f) => ({ ...f }))).at : undefined
    const type = big ? 16 : 4
    const fields = [
      field(256, 4, [picture.width]),
      field(257, 4, [picture.height]),
      field(258, 3, Array(picture.samples).fill(picture.bits)),
      field(259, 3, [picture.compression ?? 1]),
      field(262, 3, [picture.samples >= 3 ? 2 : 1]),
      field(277, 3, [picture.samples]),
      field(284, 3, [picture.planar ? 2 : 1]),
      field(picture.tile ? 324 : 273, type, offsets),
      field(picture.tile ? 325 : 279, 4, lengths),
      ...(picture.tile
        ? [field(322, 3, [picture.tile[0]]), field(323, 3, [picture.tile[1]])]
        : [field(278, 4, [picture.rowsPerStrip ?? picture.height])]),
      ...(picture.predictor ? [field(317, 3, [picture.predictor])] : []),
      ...(picture.floating ? [field(339, 3, Array(picture.samples).fill(3))] : []),
      ...(picture.mirrored ? [field(266, 3, [2])] : []),
      ...(subs.length > 0 ? [field(330, big ? 16 : 4, subs)] : []),
      ...(exif === undefined ? [] : [field(34665, 4, [exif])]),
      ...(picture.extra ?? []),
    ]
    const made = directory(fields)
    if (cog)
      later.push(() => {
        store()
        patch(made.at, picture.tile ? 324 : 273, offsets, type)
      })
    return made
  }
  const later: (() => void)[] = []
  const find = (at: number) => out.find((part) => part.at <= at && at < part.at + part.bytes.length)!
  const patch = (at: number, tag: number, values: number[], type: number) => {
    const part = find(at)
    const view = new DataView(part.bytes.buffer)
    for (let p = big ? 8 : 2; p < part.bytes.length - offsetBytes; p += big ? 20 : 12) {
      if (view.getUint16(p, littleEndian) !== tag) continue
      const bytes = numbers(SIZES[type]!, values)
      const field = p + 4 + offsetBytes
      if (bytes.length <= offsetBytes) part.bytes.set(bytes, field)
      else {
        const place = big ? Number(view.getBigUint64(field, littleEndian)) : view.getUint32(field, littleEndian)
        find(place).bytes.set(bytes)
      }
    }
  }
  const made = pictures.map(write)
  for (const [i, { slot }] of made.entries()) {
    const part = find(slot.next)
    part.bytes.set(number(offsetBytes, made[i + 1]?.at ?? 0), slot.next - part.at)
  }
  for (const finish of later.reverse()) finish()
  const file = new Uint8Array(end)
  file.set(littleEndian ? [0x49, 0x49] : [0x4d, 0x4d])
  file.set(number(2, big ? 43 : 42), 2)
  if (big) file.set(number(2, 8), 4)
  file.set(number(offsetBytes, made[0]!.at), big ? 8 : 4)
  for (const part of out) file.set(part.bytes, part.at)
  return file
}

function numbersLittle(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

export interface ReadDirectory {
  fields: Map<number, { type: number; values: Uint8Array }>
  number(tag: number, fallback?: number): number
  numbers(tag: number): number[]
}

/** Reads every directory of the main chain. */
export function readDirectories(file: Uint8Array): ReadDirectory[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const littleEndian = file[0] === 0x49
  const big = view.getUint16(2, littleEndian) === 43
  const offset = (at: number) => (big ? Number(view.getBigUint64(at, littleEndian)) : view.getUint32(at, littleEndian))
  const directories: ReadDirectory[] = []
  for (let at = offset(big ? 8 : 4); at !== 0; ) {
    directories.push(readDirectory(file, at))
    const count = big ? Number(view.getBigUint64(at, littleEndian)) : view.getUint16(at, littleEndian)
    at = offset(at + (big ? 8 : 2) + count * (big ? 20 : 12))
  }
  return directories
}

export function readDirectory(file: Uint8Array, at: number): ReadDirectory {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const littleEndian = file[0] === 0x49
  const big = view.getUint16(2, littleEndian) === 43
  const codec = big ? 8 : 4
  const offset = (p: number) => (big ? Number(view.getBigUint64(p, littleEndian)) : view.getUint32(p, littleEndian))
  const count = big ? Number(view.getBigUint64(at, littleEndian)) : view.getUint16(at, littleEndian)
  const fields = new Map<number, { type: number; values: Uint8Array }>()
  for (let i = 0, p = at + (big ? 8 : 2); i < count; i++, p += big ? 20 : 12) {
    const type = view.getUint16(p + 2, littleEndian)
    const bytes = (SIZES[type] ?? 1) * offset(p + 4)
    const from = bytes <= codec ? p + 4 + codec : offset(p + 4 + codec)
    fields.set(view.getUint16(p, littleEndian), { type, values: file.slice(from, from + bytes) })
  }
  const numbers = (tag: number) => {
    const found = fields.get(tag)
    if (!found) return []
    const values = new DataView(found.values.buffer)
    const size = SIZES[found.type]!
    return Array.from({ length: found.values.length / size }, (_, i) =>
      size === 8
        ? Number(values.getBigUint64(i * 8, littleEndian))
        : size === 4
          ? values.getUint32(i * 4, littleEndian)
          : values.getUint16(i * 2, littleEndian),
    )
  }
  return { fields, numbers, number: (tag, fallback = 0) => numbers(tag)[0] ?? fallback }
}

/** Pixels of a Deflate-compressed directory, in the format of `makePixels`. */
export function readPicture(file: Uint8Array, directory: ReadDirectory, like: Picture): Uint8Array {
  const littleEndian = file[0] === 0x49
  const tile = directory.fields.has(322) ? ([directory.number(322), directory.number(323)] as [number, number]) : undefined
  const rows = directory.number(278, like.height)
  const picture: Picture = { ...like, ...(tile ? { tile } : {}), rowsPerStrip: rows, predictor: directory.number(317, 1) as 1 | 2 | 3 }
  const offsets = directory.numbers(tile ? 324 : 273)
  const lengths = directory.numbers(tile ? 325 : 279)
  const row = rowBytes(like)
  const pixels = new Uint8Array(row * like.height * planesOf(like))
  const blank = chunksOf(picture, pixels)
  blank.forEach((chunk, i) => {
    const raw = lengths[i] === 0 ? chunk : new Uint8Array(inflateSync(file.subarray(offsets[i], offsets[i]! + lengths[i]!)))
    const decoded = picture.predictor === 1 || lengths[i] === 0 ? raw : predict(raw, picture, true, littleEndian)
    const perPlane = blank.length / planesOf(like)
    const plane = Math.floor(i / perPlane)
    const index = i % perPlane
    if (!tile) pixels.set(decoded, plane * row * like.height + index * rows * row)
    else {
      const tileRow = rowBytes(like, tile[0])
      const across = Math.ceil(like.width / tile[0])
      const [left, top] = [(index % across) * tileRow, Math.floor(index / across) * tile[1]]
      for (let y = 0; y < tile[1] && top + y < like.height; y++) {
        const line = decoded.subarray(y * tileRow, y * tileRow + Math.min(tileRow, row - left))
        pixels.set(line, plane * row * like.height + (top + y) * row + left)
      }
    }
  })
  return pixels
}
