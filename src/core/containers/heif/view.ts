/** Shown part and orientation of a HEIF picture: the properties `clap`, `irot` and `imir`, in the order of their association. */
import { unsupported } from '../../model/error.ts'
import type { HeifFields } from './boxes.ts'

/** Area of the stored picture that is shown, and its orientation as in EXIF: 1 as stored, 2 to 8 mirrored or rotated. */
export interface HeifView {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly orientation: number
}

/** Orientation as axes: `swaps`: stored rows are shown as columns; `flipX`, `flipY`: stored columns or rows run backwards. */
interface Axes {
  swaps: boolean
  flipX: boolean
  flipY: boolean
}

const ORIENTATIONS: readonly (Axes & { readonly orientation: number })[] = [
  { orientation: 1, swaps: false, flipX: false, flipY: false },
  { orientation: 2, swaps: false, flipX: true, flipY: false },
  { orientation: 3, swaps: false, flipX: true, flipY: true },
  { orientation: 4, swaps: false, flipX: false, flipY: true },
  { orientation: 5, swaps: true, flipX: false, flipY: false },
  { orientation: 6, swaps: true, flipX: false, flipY: true },
  { orientation: 7, swaps: true, flipX: true, flipY: true },
  { orientation: 8, swaps: true, flipX: true, flipY: false },
]

const axesOf = (orientation: number): Axes => {
  const { swaps, flipX, flipY } = ORIENTATIONS[orientation - 1]!
  return { swaps, flipX, flipY }
}

const withAxes = (view: HeifView, axes: Axes): HeifView => ({
  ...view,
  orientation: ORIENTATIONS.find((one) => one.swaps === axes.swaps && one.flipX === axes.flipX && one.flipY === axes.flipY)!.orientation,
})

/** Width and height as shown. */
export const shownSize = ({ width, height, orientation }: HeifView): { width: number; height: number } =>
  orientation >= 5 ? { width: height, height: width } : { width, height }

/** Rotates the shown picture by quarter turns anticlockwise (ISO/IEC 23008-12, 6.5.10). */
export function rotated(view: HeifView, quarters: number): HeifView {
  const axes = axesOf(view.orientation)
  for (let turn = 0; turn < quarters; turn++) {
    if (axes.swaps) axes.flipY = !axes.flipY
    else axes.flipX = !axes.flipX
    axes.swaps = !axes.swaps
  }
  return withAxes(view, axes)
}

/** Mirrors the shown picture (6.5.12). Axis 0 exchanges top and bottom, axis 1 left and right. */
export function mirrored(view: HeifView, axis: number): HeifView {
  const axes = axesOf(view.orientation)
  if ((axis === 1) !== axes.swaps) axes.flipX = !axes.flipX
  else axes.flipY = !axes.flipY
  return withAxes(view, axes)
}

/** Area of a shown picture, in pixels of what is shown. */
export interface ShownArea {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Crops the shown picture. The caller ensures that the area is inside. */
export function cropped(view: HeifView, { x, y, width, height }: ShownArea): HeifView {
  const { swaps, flipX, flipY } = axesOf(view.orientation)
  const [fromX, fromY, storedWidth, storedHeight] = swaps ? [y, x, height, width] : [x, y, width, height]
  return {
    ...view,
    x: view.x + (flipX ? view.width - fromX - storedWidth : fromX),
    y: view.y + (flipY ? view.height - fromY - storedHeight : fromY),
    width: storedWidth,
    height: storedHeight,
  }
}

/** Clean aperture (ISO/IEC 14496-12, 12.1.4): size and offset of the centre as fractions. @throws CodecError if it is not on whole pixels */
export function apertureOf(clap: HeifFields, { width, height }: { readonly width: number; readonly height: number }): ShownArea {
  const fraction = (at: number, isSigned: boolean) => {
    const divisor = clap.u32(at + 4)
    return divisor === 0 ? Number.NaN : (isSigned ? clap.i32(at) : clap.u32(at)) / divisor
  }
  const [clean, cleanHeight] = [fraction(0, false), fraction(8, false)]
  const area = {
    x: fraction(16, true) + (width - clean) / 2,
    y: fraction(24, true) + (height - cleanHeight) / 2,
    width: clean,
    height: cleanHeight,
  }
  const isInside = area.x >= 0 && area.y >= 0 && area.x + clean <= width && area.y + cleanHeight <= height
  if (!Object.values(area).every(Number.isInteger) || !isInside || clean < 1 || cleanHeight < 1)
    throw unsupported('heif_crop_between_pixels')
  return area
}
