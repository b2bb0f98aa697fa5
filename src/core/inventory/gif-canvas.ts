/** Draws the frames of a GIF (GIF89a, 20 to 23) and finds those that change nothing. */
import { Digest } from './digest.ts'
import type { FileView } from './file-view.ts'
import type { GifFrame } from './gif-frame.ts'
import { LzwDecoder } from './gif-lzw.ts'

export interface GifCanvas {
  readonly width: number
  readonly height: number
  /** Offset and size of the global colour table. */
  readonly table: GifFrame['table']
}

const [RESTORE_BACKGROUND, RESTORE_PREVIOUS] = [2, 3]
/** Distance of rows, and the first row, of each pass of an interlaced frame (GIF89a, appendix E). */
const PASSES = [
  { first: 0, step: 8 },
  { first: 4, step: 8 },
  { first: 2, step: 4 },
  { first: 1, step: 2 },
] as const

/** Rectangle inside of the canvas. */
interface Area {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Area that was removed, with the digest of what it showed. */
interface Disposed extends Area {
  readonly digest: string
}

/** Canvas as viewers show it. A pixel is its colour with alpha 255, or 0 for transparent. */
export class ShownCanvas {
  readonly #view: FileView
  readonly #canvas: GifCanvas
  readonly #pixels: Uint32Array
  readonly #decoder = new LzwDecoder()
  #globalColours: Uint32Array | undefined
  #previous: GifFrame | undefined
  /** Pixels below the previous frame, if the next frame must find them again. */
  #below: Uint32Array | undefined

  constructor(view: FileView, canvas: GifCanvas) {
    this.#view = view
    this.#canvas = canvas
    this.#pixels = new Uint32Array(canvas.width * canvas.height)
  }

  /** Draws the next frame. True if the canvas then shows something else than before. */
  async draw(frame: GifFrame): Promise<boolean> {
    const disposed = this.#dispose()
    this.#below = frame.disposal === RESTORE_PREVIOUS ? this.#copy(this.#areaOf(frame)) : undefined
    const colours = await this.#coloursOf(frame)
    const hasChanged = this.#paint(frame, await this.#decoder.decode(this.#view, frame), colours, disposed)
    this.#previous = frame
    return hasChanged || (disposed !== undefined && this.#digestOf(disposed) !== disposed.digest)
  }

  /** Removes the previous frame if it asks for that. `undefined`: the canvas stays. */
  #dispose(): Disposed | undefined {
    const frame = this.#previous
    if (frame?.disposal !== RESTORE_BACKGROUND && frame?.disposal !== RESTORE_PREVIOUS) return undefined
    const area = this.#areaOf(frame)
    const digest = this.#digestOf(area)
    let at = 0
    for (const row of this.#rowsOf(area)) {
      if (this.#below) row.set(this.#below.subarray(at, at + row.length))
      else row.fill(0)
      at += row.length
    }
    return { ...area, digest }
  }

  #areaOf({ left, top, width, height }: GifFrame): Area {
    const { width: right, height: bottom } = this.#canvas
    return {
      left: Math.min(left, right),
      top: Math.min(top, bottom),
      right: Math.min(left + width, right),
      bottom: Math.min(top + height, bottom),
    }
  }

  *#rowsOf({ left, top, right, bottom }: Area): Generator<Uint32Array> {
    for (let y = top; y < bottom; y++) yield this.#pixels.subarray(y * this.#canvas.width + left, y * this.#canvas.width + right)
  }

  #copy(area: Area): Uint32Array {
    const pixels = new Uint32Array((area.right - area.left) * (area.bottom - area.top))
    let at = 0
    for (const row of this.#rowsOf(area)) {
      pixels.set(row, at)
      at += row.length
    }
    return pixels
  }

  #digestOf(area: Area): string {
    const hash = new Digest()
    for (const row of this.#rowsOf(area)) hash.update(new Uint8Array(row.buffer, row.byteOffset, row.byteLength))
    return hash.finish()
  }

  /** Draws the indices of a frame. True if a pixel outside of `apart` has changed. */
  #paint(frame: GifFrame, indices: Uint8Array, colours: Uint32Array, apart: Area | undefined): boolean {
    const { width, height } = this.#canvas
    const visible = Math.max(0, Math.min(frame.width, width - frame.left))
    let hasChanged = false
    for (const { y, at } of rowsOf(frame, indices.length)) {
      const row = frame.top + y
      if (row >= height) continue
      const start = row * width + frame.left
      const isApart = apart !== undefined && row >= apart.top && row < apart.bottom
      // Columns of the row that do not count.
      const [from, to] = isApart ? [apart.left - frame.left, apart.right - frame.left] : [visible, visible]
      const shown = this.#pixels.subarray(start, start + visible)
      if (paintRow(shown, indices.subarray(at, at + visible), { colours, transparent: frame.transparent ?? -1 }, from, to))
        hasChanged = true
    }
    return hasChanged
  }

  /** Colours of a frame by index. */
  async #coloursOf({ table }: GifFrame): Promise<Uint32Array> {
    if (table.colours > 0) return await this.#readTable(table)
    this.#globalColours ??= await this.#readTable(this.#canvas.table)
    return this.#globalColours
  }

  /** Colours of a table. Indices outside of it are black. */
  async #readTable({ at, colours }: GifFrame['table']): Promise<Uint32Array> {
    const bytes = await this.#view.bytesUpTo(at, 3 * colours)
    const found = new Uint32Array(256).fill(0xff000000)
    for (let i = 0; i * 3 + 2 < bytes.length; i++)
      found[i] = (0xff000000 | (bytes[3 * i]! << 16) | (bytes[3 * i + 1]! << 8) | bytes[3 * i + 2]!) >>> 0
    return found
  }
}

/** Draws a row of indices. True if a pixel has changed that is not in the columns `from` to `to`. */
function paintRow(
  row: Uint32Array,
  indices: Uint8Array,
  { colours, transparent }: { colours: Uint32Array; transparent: number },
  from: number,
  to: number,
): boolean {
  let hasChanged = false
  for (let x = 0; x < indices.length; x++) {
    const index = indices[x]!
    if (index === transparent) continue
    const colour = colours[index]!
    if (row[x] === colour) continue
    row[x] = colour
    if (x < from || x >= to) hasChanged = true
  }
  return hasChanged
}

/** Rows of a frame in the order of the file: row in the frame, and offset of its first index. */
function* rowsOf({ width, height, isInterlaced }: GifFrame, indices: number): Generator<{ y: number; at: number }> {
  let at = 0
  for (const { first, step } of isInterlaced ? PASSES : [{ first: 0, step: 1 }])
    for (let y = first; y < height && at < indices; y += step, at += width) yield { y, at }
}
