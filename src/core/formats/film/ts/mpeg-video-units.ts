/** MPEG-1 and MPEG-2 pictures (ISO/IEC 11172-2, 2.4.2; ISO/IEC 13818-2, 6.2). */
import { pixelShape } from '../pixel-shape.ts'
import type { UnitKind, UnitSyntax } from './unit-framer.ts'

const [PICTURE, FIRST_SLICE, LAST_SLICE, SEQUENCE, EXTENSION, GROUP] = [0, 1, 0xaf, 0xb3, 0xb5, 0xb8]
/** Identifiers of extensions. */
const [SEQUENCE_EXTENSION, PICTURE_EXTENSION] = [1, 8]
const [FRAME, INTRA] = [3, 1]

export interface MpegVideoFacts {
  readonly width: number
  readonly height: number
  readonly pixelShape: readonly [number, number]
  readonly isMpeg2: boolean
}

export class MpegVideoUnits implements UnitSyntax {
  readonly startBytes = 4
  readonly isSized = false
  #isPictureNew = false
  /** `picture_structure` of the picture that is being read, and of the field before it whose partner has not come yet. */
  #structure = FRAME
  #waiting = FRAME
  #sequence: Uint8Array | undefined
  #extension: Uint8Array | undefined

  kindOf(start: Uint8Array): UnitKind {
    const [code] = start
    if (code === SEQUENCE || code === GROUP || code === PICTURE) return 'before'
    if (!(code! >= FIRST_SLICE && code! <= LAST_SLICE)) return 'same'
    if (!this.#isPictureNew) return 'more'
    this.#isPictureNew = false
    const isSecond = this.#waiting !== FRAME && this.#structure !== FRAME && this.#structure !== this.#waiting
    this.#waiting = isSecond ? FRAME : this.#structure
    return isSecond ? 'field' : 'first'
  }

  isStored(): boolean {
    return true
  }

  /** Returns true if decoding may begin at the frame of the unit. */
  read(unit: Uint8Array): boolean {
    const [code] = unit
    if (code === PICTURE) {
      this.#isPictureNew = true
      this.#structure = FRAME
      return (((unit[2] ?? 0) >> 3) & 7) === INTRA
    }
    if (code === SEQUENCE) this.#sequence ??= unit.slice(0, 12)
    if (code === EXTENSION && (unit[1] ?? 0) >> 4 === SEQUENCE_EXTENSION) this.#extension ??= unit.slice(0, 8)
    if (code === EXTENSION && (unit[1] ?? 0) >> 4 === PICTURE_EXTENSION) this.#structure = (unit[3] ?? 0) & 3
    return false
  }

  /** What the stream tells about its pictures. `undefined`: it has no sequence header. */
  facts(): MpegVideoFacts | undefined {
    const [header, extension] = [this.#sequence, this.#extension]
    if (!header || header.length < 8) return undefined
    const isMpeg2 = extension !== undefined
    const [more1, more2] = [extension?.[2] ?? 0, extension?.[3] ?? 0]
    const width = (((more1 & 1) << 1) | (more2 >> 7)) * 4096 + ((header[1]! << 4) | (header[2]! >> 4))
    const height = ((more2 >> 5) & 3) * 4096 + (((header[2]! & 15) << 8) | header[3]!)
    if (width === 0 || height === 0) return undefined
    return { width, height, isMpeg2, pixelShape: shapeOf(header[4]! >> 4, isMpeg2, width, height) }
  }
}

/** Pixel shapes of MPEG-1, height by width in units of 0.0001 (ISO/IEC 11172-2, 2.4.3.2). */
const MPEG1_SHAPES = [0, 10_000, 6735, 7031, 7615, 8055, 8437, 8935, 9157, 9815, 10_255, 10_695, 10_950, 11_575, 12_015]
/** Shapes of the whole picture of MPEG-2 (ISO/IEC 13818-2, table 6-3). */
const MPEG2_SHAPES: readonly (readonly [number, number] | undefined)[] = [undefined, undefined, [4, 3], [16, 9], [221, 100]]

function shapeOf(code: number, isMpeg2: boolean, width: number, height: number): readonly [number, number] {
  const display = isMpeg2 ? MPEG2_SHAPES[code] : undefined
  const shape = display
    ? pixelShape(display[0] * height, display[1] * width)
    : pixelShape(10_000, isMpeg2 ? 10_000 : (MPEG1_SHAPES[code] ?? 0) || 10_000)
  return shape ?? [1, 1]
}
