/** Renditions: a picture as a page shows it, cut and reduced to a frame. All sizes are those of the picture as viewers show it. */

export interface Rendition {
  /** Frame in pixels. `undefined`: as wide, or as high, as the picture. */
  readonly width?: number
  readonly height?: number
  /**
   * `contain`: the whole picture within the frame. `cover`: the largest part with the proportions of the frame, reduced to it. `crop`: a part
   * of the size of the frame, not reduced. `cover` and `crop` need both sides of the frame. A picture never gets larger.
   */
  readonly fit: 'contain' | 'cover' | 'crop'
  /** Point that stays in the middle of the part, as far as the picture allows: fractions from the left and the top. Default: the middle. */
  readonly focus?: { readonly x: number; readonly y: number }
}

/** Part of a picture in pixels. */
export interface Frame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

type Size = Pick<Frame, 'width' | 'height'>

/** Returns the part of a picture that a rendition shows. */
export function frameOf({ width, height }: Size, { fit, focus = { x: 0.5, y: 0.5 }, ...asked }: Rendition): Frame {
  if (fit === 'contain' || asked.width === undefined || asked.height === undefined) return { left: 0, top: 0, width, height }
  const part = fit === 'crop' ? { width: asked.width, height: asked.height } : partLike({ width, height }, asked.width / asked.height)
  const size = { width: Math.min(width, part.width), height: Math.min(height, part.height) }
  return { ...size, left: startOf(focus.x, width, size.width), top: startOf(focus.y, height, size.height) }
}

/** Largest part with this ratio of width to height. */
function partLike({ width, height }: Size, ratio: number): Size {
  return width > height * ratio
    ? { width: Math.max(1, Math.round(height * ratio)), height }
    : { width, height: Math.max(1, Math.round(width / ratio)) }
}

/** First pixel of a part of `length` pixels around the focus. */
const startOf = (focus: number, whole: number, length: number) =>
  Math.max(0, Math.min(whole - length, Math.round(focus * whole - length / 2)))

/** Returns the size to which the shown part is reduced. `undefined`: it keeps its size. */
export function renditionSize(
  frame: Size,
  { fit, width = Number.POSITIVE_INFINITY, height = Number.POSITIVE_INFINITY }: Rendition,
): Size | undefined {
  if (fit === 'crop') return undefined
  if (fit === 'cover' && Number.isFinite(width) && Number.isFinite(height)) {
    const isLarger = frame.width >= width && frame.height >= height && (frame.width > width || frame.height > height)
    return isLarger ? { width, height } : undefined
  }
  const scale = Math.min(width / frame.width, height / frame.height)
  if (!(scale < 1)) return undefined
  return { width: Math.max(1, Math.round(frame.width * scale)), height: Math.max(1, Math.round(frame.height * scale)) }
}
