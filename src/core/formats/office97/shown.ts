/** Sizes at which slides show the pictures of the table of pictures ([MS-PPT] 2.7, [MS-ODRAW] 2.3). */
import type { ByteReader } from '../../bytes/reader.ts'
import { type ArtRecord, recordsIn, TYPE } from './record.ts'
import { MIN_SHOWN_SHARE } from './tuning.ts'

export interface Shown {
  readonly widthInches: number
  readonly heightInches: number
}

/** Units of slides an inch ([MS-PPT] 2.2, master units). */
const UNITS_PER_INCH = 576
const PROPERTY_BYTES = 6
const PROPERTY = { rotation: 0x0004, cropTop: 0x0100, cropBottom: 0x0101, cropLeft: 0x0102, cropRight: 0x0103, picture: 0x0104 } as const
/** Flag of a property whose value is an index into the table of pictures. */
const IS_PICTURE = 0x4000
const PROPERTY_TABLES: ReadonlySet<number> = new Set([TYPE.properties, TYPE.secondProperties, TYPE.thirdProperties])

/** Collects the largest size of each picture. Of a picture that anything besides a plain picture frame shows, the size is unknown. */
export class ShownSizes {
  readonly #sizes = new Map<number, Shown | 'unknown'>()

  /** Returns the size of the picture at an index, counted from 1. `undefined`: unknown. */
  of(index: number): Shown | undefined {
    const found = this.#sizes.get(index)
    return found === 'unknown' ? undefined : found
  }

  /** Takes the container of a shape. */
  addShape(reader: ByteReader, shape: ArtRecord): void {
    const values = new Map<number, number>()
    const others = new Set<number>()
    let size: Shown | undefined
    for (const record of recordsIn(reader, shape.start, shape.end)) {
      if (record.type === TYPE.clientAnchor) size = anchorSize(reader, record)
      if (!PROPERTY_TABLES.has(record.type)) continue
      for (let index = 0; index < record.instance; index++) {
        const at = record.start + index * PROPERTY_BYTES
        if (at + PROPERTY_BYTES > record.end) break
        const [id, value] = [reader.u16(at), reader.u32(at + 2)]
        if (record.type === TYPE.properties) values.set(id & 0x3fff, value)
        const isFrame = record.type === TYPE.properties && (id & 0x3fff) === PROPERTY.picture
        if ((id & IS_PICTURE) !== 0 && !isFrame) others.add(value)
      }
    }
    for (const index of others) this.#sizes.set(index, 'unknown')
    const picture = values.get(PROPERTY.picture)
    if (picture !== undefined) this.#add(picture, size && wholeSize(size, values))
  }

  #add(index: number, size: Shown | undefined): void {
    const before = this.#sizes.get(index)
    if (!size || before === 'unknown') this.#sizes.set(index, 'unknown')
    else
      this.#sizes.set(index, {
        widthInches: Math.max(size.widthInches, before?.widthInches ?? 0),
        heightInches: Math.max(size.heightInches, before?.heightInches ?? 0),
      })
  }
}

/** Size of a rectangle: top, left, right and bottom as 16-bit numbers, or left, top, right and bottom as 32-bit numbers. */
function anchorSize(reader: ByteReader, { start, end }: ArtRecord): Shown | undefined {
  if (end - start !== 8) return undefined
  const [top, left, right, bottom] = [0, 2, 4, 6].map((at) => reader.i16(start + at)) as [number, number, number, number]
  const [width, height] = [right - left, bottom - top]
  return width > 0 && height > 0 ? { widthInches: width / UNITS_PER_INCH, heightInches: height / UNITS_PER_INCH } : undefined
}

/** Size of the whole picture, of which crops hide a part. The sides of a rotated frame may be exchanged. */
function wholeSize({ widthInches, heightInches }: Shown, values: ReadonlyMap<number, number>): Shown | undefined {
  const share = (from: number, to: number) => 1 - fraction(values.get(from)) - fraction(values.get(to))
  const [across, down] = [share(PROPERTY.cropLeft, PROPERTY.cropRight), share(PROPERTY.cropTop, PROPERTY.cropBottom)]
  if (across < MIN_SHOWN_SHARE || down < MIN_SHOWN_SHARE) return undefined
  const most = Math.max(widthInches, heightInches)
  const isRotated = (values.get(PROPERTY.rotation) ?? 0) !== 0
  return { widthInches: (isRotated ? most : widthInches) / across, heightInches: (isRotated ? most : heightInches) / down }
}

/** Fixed-point number with 16 bits behind the point ([MS-OSHARED] 2.2.1.6). */
const fraction = (value: number | undefined) => ((value ?? 0) | 0) / 65_536
