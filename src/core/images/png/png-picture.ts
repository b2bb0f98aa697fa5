/** A picture that the PNG engine can read several times, from any source of rows. */
import type { PictureHeader } from '../../../../wasm/png/engine.ts'

/** Receives the frames of a picture, such as `PngEngine`. Returned promises are awaited. */
export interface FrameVisitor {
  frame(width?: number, height?: number): void | Promise<void>
  /** Receives bytes of the frame's zlib stream of filtered rows. */
  feed(bytes: Uint8Array): void | Promise<void>
  /** Receives an unfiltered row in the header's form, instead of `feed`. */
  takeRow(row: Uint8Array): void | Promise<void>
  frameEnd(): void | Promise<void>
}

export interface PngPicture {
  readonly header: PictureHeader
  /** Number of frames; 1 for still pictures. */
  readonly frames: number
  /** True if the file is an animation, even of one frame. */
  readonly animated?: boolean
  /** True if an ICC profile belongs to the picture. Grey must then stay grey, and colour must stay colour. */
  readonly profiled: boolean
  /** True if readers use stored samples or palette indices as values. Colour type, bit depth and palette then stay unchanged. */
  readonly keepsForm?: boolean
  /** Reads the picture once and passes all its frames to the visitor. */
  visit(visitor: FrameVisitor): Promise<void>
}
