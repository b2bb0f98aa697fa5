/** Draws the frames of an animation on its canvas (RFC 9649, 2.7.1.2). */
import { asRgba, type Raster } from '../../images/raster/raster.ts'
import type { WebpFrame } from './file.ts'

type Area = Pick<WebpFrame, 'x' | 'y' | 'blends' | 'disposes'>

/** Canvas as RGBA. It starts transparent, as browsers show it, because they ignore the background colour of the file. */
export class Canvas {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
  #disposed: (Area & { readonly width: number; readonly height: number }) | undefined

  constructor({ width, height }: { readonly width: number; readonly height: number }) {
    this.width = width
    this.height = height
    this.pixels = new Uint8Array(width * height * 4)
  }

  /** Disposes of the previous frame and draws the next one. */
  async draw(area: Area, picture: Raster): Promise<void> {
    if (this.#disposed) this.#clear(this.#disposed)
    const { width, height } = picture
    let y = area.y
    for await (const strip of asRgba(picture).rows()) {
      for (let from = 0; from < strip.length; from += width * 4, y++) {
        const row = this.pixels.subarray((y * this.width + area.x) * 4, (y * this.width + area.x + width) * 4)
        const source = strip.subarray(from, from + width * 4)
        if (area.blends) blend(row, source)
        else row.set(source)
      }
    }
    this.#disposed = area.disposes ? { ...area, width, height } : undefined
  }

  /** Canvas as a picture. Its rows are valid until the next frame is drawn. */
  get raster(): Raster {
    const { width, height, pixels } = this
    const step = width * 4 * 64
    return {
      width,
      height,
      channels: 4,
      async *rows() {
        for (let at = 0; at < pixels.length; at += step) yield pixels.subarray(at, at + step)
      },
    }
  }

  #clear({ x, y, width, height }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }): void {
    for (let row = y; row < y + height; row++) this.pixels.fill(0, (row * this.width + x) * 4, (row * this.width + x + width) * 4)
  }
}

/** Draws a row over another (RFC 9649, 2.7.1.2, "alpha-blending"). Colours are not premultiplied. */
function blend(below: Uint8Array, above: Uint8Array): void {
  for (let at = 0; at < above.length; at += 4) {
    const alpha = above[at + 3]!
    if (alpha === 0) continue
    const rest = alpha === 255 ? 0 : (below[at + 3]! * (256 - alpha)) >> 8
    const sum = alpha + rest
    for (let c = at; c < at + 3; c++) below[c] = (above[c]! * alpha + below[c]! * rest) / sum
    below[at + 3] = sum
  }
}
