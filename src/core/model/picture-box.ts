/** Largest size of a picture in pixels; infinite: no limit. */
export interface PictureBox {
  readonly width: number
  readonly height: number
  /**
   * True: the caller asked for this size (`max_width`, `max_height`), measured as viewers show the picture. A codec that cannot reduce a larger
   * picture throws. `undefined`: a larger picture may keep its size.
   */
  readonly isRequired?: true
}

interface SizeLimits {
  readonly maxWidth?: number
  readonly maxHeight?: number
}

/** Box of the size that a caller asked for. `undefined`: any size. */
export function requiredBox({ maxWidth, maxHeight }: SizeLimits): PictureBox | undefined {
  if (maxWidth === undefined && maxHeight === undefined) return undefined
  return { width: maxWidth ?? Number.POSITIVE_INFINITY, height: maxHeight ?? Number.POSITIVE_INFINITY, isRequired: true }
}
