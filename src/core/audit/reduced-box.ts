/** Finds the box that a picture was reduced to, from the two files alone. */
import { isEngineError } from '../../../wasm/engine-error.ts'
import type { FormatId } from '../catalog/index.ts'
import type { OutputId } from '../catalog/outputs.ts'
import { orientationOfJpeg, readHeader } from '../formats/jpg/segments.ts'
import { shownOrientationOf, swapsAxes } from '../images/raster/orientation.ts'
import { sizeWithin } from '../images/raster/resize.ts'
import type { Options, Source } from '../model/codec.ts'
import { isCodecError } from '../model/error.ts'
import type { PictureBox } from '../model/picture-box.ts'
import { isPictureFormat, openOriginalPicture, type PictureFormat, sameSize } from './rendered-rows.ts'

interface Size {
  readonly width: number
  readonly height: number
}

interface Files {
  readonly original: Source
  readonly format: FormatId
  readonly result: Source
  readonly output: OutputId
}

/**
 * Box that leads from the size of the original to that of the result, as viewers show both. `undefined`: the result is not smaller, no box
 * leads to its size, or a file cannot be read.
 */
export async function reducedBoxOf({ original, format, result, output }: Files, options: Options): Promise<PictureBox | undefined> {
  if (!isPictureFormat(format) || !isPictureFormat(output)) return undefined
  const [before, after] = await Promise.all([
    shownSize(original, format, { ...options, output }),
    shownSize(result, output, { ...options, output }),
  ])
  if (!before || !after || sameSize(before, after)) return undefined
  const boxes: readonly Size[] = [
    { width: after.width, height: Number.POSITIVE_INFINITY },
    { width: Number.POSITIVE_INFINITY, height: after.height },
    after,
  ]
  const found = boxes.find((box) => {
    const size = sizeWithin(before.width, before.height, box)
    return size !== undefined && sameSize(size, after)
  })
  return found && { ...found, isRequired: true }
}

async function shownSize(file: Source, format: PictureFormat, options: Options): Promise<Size | undefined> {
  const opened = await storedSize(file, format, options).catch((error: unknown) => {
    if (!isCodecError(error) && !isEngineError(error)) throw error
    return undefined
  })
  if (!opened) return undefined
  const { size, orientation } = opened
  return swapsAxes(orientation) ? { width: size.height, height: size.width } : size
}

async function storedSize(file: Source, format: PictureFormat, options: Options): Promise<{ size: Size; orientation: number }> {
  if (format === 'jpg') {
    const header = await readHeader(file, options)
    return { size: header, orientation: orientationOfJpeg(header) }
  }
  const { raster, carried } = await openOriginalPicture(file, format, options)
  return { size: raster, orientation: shownOrientationOf(carried.exif) }
}
