/** HEIC files for tests: pictures of RGB pixels as exact HEVC samples in containers of `avif-file.ts`. */
import { box } from '../../src/core/containers/isobmff/box.ts'
import { heifFile, ispe, nclx, type TestItem } from './avif-file.ts'
import { hevcPicture, type TestPlanes } from './hevc-file.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** Planes of RGB pixels (BT.601, full range): chroma is the mean of four pixels. Width and height are even. */
export function planesOf(pixels: Uint8Array, { width, height }: Size): TestPlanes {
  const channels = pixels.length / (width * height)
  const luma = new Uint8Array(width * height)
  const chroma = [new Float64Array(luma.length / 4), new Float64Array(luma.length / 4)] as const
  for (let i = 0; i < luma.length; i++) {
    const [r, g, b] = [pixels[i * channels]!, pixels[i * channels + 1]!, pixels[i * channels + 2]!]
    const y = 0.299 * r + 0.587 * g + 0.114 * b
    luma[i] = Math.round(y)
    const at = Math.floor(Math.floor(i / width) / 2) * (width / 2) + Math.floor((i % width) / 2)
    chroma[0][at]! += (128 + (b - y) / 1.772) / 4
    chroma[1][at]! += (128 + (r - y) / 1.402) / 4
  }
  const rounded = (plane: Float64Array) => Uint8Array.from(plane, (value) => Math.min(255, Math.round(value)))
  return { width, height, luma, chroma: [rounded(chroma[0]), rounded(chroma[1])] }
}

/** Item of a coded picture. Properties are marked essential. */
export function hevcItem(id: number, planes: TestPlanes, more: readonly Uint8Array[] = [], hidden = false): TestItem {
  const { config, coded } = hevcPicture(planes)
  return { id, type: 'hvc1', data: coded, properties: [ispe(planes), box('hvcC', config), ...more], hidden }
}

/** sRGB with the matrix of BT.601 in full range. */
export const SRGB = nclx(1, 13, 6)

/** File with one picture. */
export const heicOf = (pixels: Uint8Array, size: Size, more: readonly Uint8Array[] = []): Uint8Array =>
  heifFile({ brand: 'heic', items: [hevcItem(1, planesOf(pixels, size), [SRGB, ...more])] })
