/** Reduces PNG pictures from 16 to 8 bits a sample. The difference is invisible on almost all screens. */
import { type ColourType, type PictureHeader, PngEngine } from '../../../../wasm/png/engine.ts'
import type { FrameVisitor, PngPicture } from './png-picture.ts'
import { FEED_BYTES } from './tuning.ts'

/**
 * Returns the picture with 8 bits a sample; `writtenAs` is its 16-bit header. Adam7 pictures are excluded, because their decoder would
 * return all rows at once.
 */
export function reducedTo8Bits<Picture extends PngPicture>(picture: Picture): Picture & { readonly writtenAs: PictureHeader } {
  const { header } = picture
  const alpha = (header.colourType & 4) !== 0 || header.key !== undefined
  const colour = (header.colourType & 2) !== 0
  const colourType = ((colour ? 2 : 0) | (alpha ? 4 : 0)) as ColourType
  const narrow: PictureHeader = { width: header.width, height: header.height, colourType, bitDepth: 8 }
  const visit = async (visitor: FrameVisitor) => {
    using wide = new PngEngine(header)
    return await picture.visit(narrowing(wide, narrow, visitor))
  }
  return { ...picture, header: narrow, writtenAs: header, visit }
}

function narrowing(wide: PngEngine, to: PictureHeader, visitor: FrameVisitor): FrameVisitor {
  const rows: Uint8Array[] = []
  wide.onRow = (row) => void rows.push(packed(row, to.colourType))
  wide.begin('rows', { form: 'rgba8' })
  const pass = async () => {
    for (const row of rows) await visitor.takeRow(row)
    rows.length = 0
  }
  return {
    async frame(width, height) {
      wide.frame(width, height)
      await visitor.frame(width, height)
    },
    async feed(bytes) {
      for (let at = 0; at < bytes.length; at += FEED_BYTES) {
        wide.feed(bytes.subarray(at, at + FEED_BYTES))
        await pass()
      }
    },
    async takeRow(row) {
      wide.takeRow(row)
      await pass()
    },
    async frameEnd() {
      wide.frameEnd()
      await pass()
      await visitor.frameEnd()
    },
  }
}

function packed(rgba: Uint8Array, colourType: ColourType): Uint8Array {
  const channels = colourType === 0 ? [0] : colourType === 4 ? [0, 3] : colourType === 2 ? [0, 1, 2] : [0, 1, 2, 3]
  const out = new Uint8Array((rgba.length / 4) * channels.length)
  for (let from = 0, to = 0; from < rgba.length; from += 4) for (const c of channels) out[to++] = rgba[from + c] ?? 0
  return out
}
