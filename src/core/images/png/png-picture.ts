/** A picture that the PNG engine can look at several times, wherever its rows come from. */
import type { PictureHeader } from '../../../../wasm/png/engine.ts'

/** Gets the frames of a picture; `PngEngine` is one. What it returns is waited for. */
export interface FrameVisitor {
  frame(width?: number, height?: number): void | Promise<void>
  /** Bytes of the frame's zlib stream of filtered rows. */
  feed(bytes: Uint8Array): void | Promise<void>
  /** Or a plain row in the header's form. */
  takeRow(row: Uint8Array): void | Promise<void>
  frameEnd(): void | Promise<void>
}

export interface PngPicture {
  readonly header: PictureHeader
  /** 1 for stills. */
  readonly frames: number
  /** An animation, if only of one frame. */
  readonly animated?: boolean
  /** A profile stands with the picture: grey must stay grey and colour must stay colour. */
  readonly profiled: boolean
  /** Readers take the stored samples or palette indices for values: colour type, bit depth and palette stay. */
  readonly keepsForm?: boolean
  /** Shows all frames once. */
  visit(visitor: FrameVisitor): Promise<void>
}
