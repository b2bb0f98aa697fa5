/** Rows of a HEIF picture as it is shown: tiles are decoded band by band, cropped, rotated and mirrored. */
import type { PlanesView, YuvPicture } from '../../../../wasm/yuv/yuv-picture.ts'
import type { CodedTile, Coding, TiledPicture } from '../../containers/heif/tiled-picture.ts'
import { type HeifView, shownSize } from '../../containers/heif/view.ts'
import { message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { stripRows } from '../raster/raster.ts'
import { formOf } from './planes.ts'

/** Decodes a coded picture. @param mostPixels most pixels of a frame @throws EngineError */
export type TileDecoder = (coded: Uint8Array, tile: CodedTile, mostPixels: number) => YuvPicture

/** Everything that is needed to read rows. */
export interface RowRequest {
  readonly picture: TiledPicture
  readonly view: HeifView
  readonly decode: TileDecoder
  /** Returns the coded bytes of a tile. */
  readonly read: (tile: CodedTile) => Promise<Uint8Array>
  /** Returns the colours of a decoded picture. */
  readonly colours: (picture: YuvPicture) => Pick<PlanesView, 'colours' | 'redWeight' | 'blueWeight' | 'fullRange'>
  readonly grey: boolean
  readonly wide: boolean
  readonly signal: AbortSignal
}

/** A tile of a band: the part that is shown, in pixels of the tile, and its column in the output. */
interface Piece {
  readonly tile: CodedTile
  readonly area: Pick<PlanesView, 'x' | 'y' | 'width' | 'height'>
  readonly outputX: number
}

/** Row of tiles of the output. */
interface Band {
  readonly height: number
  readonly pieces: readonly Piece[]
}

/** Start and end of the tiles along one side, cut at the shown area, first to last as shown. */
function spans(count: number, tileSide: number, from: number, side: number, isFlipped: boolean) {
  const found = Array.from({ length: count }, (_, index) => ({
    index,
    start: Math.max(from, index * tileSide) - index * tileSide,
    end: Math.min(from + side, (index + 1) * tileSide) - index * tileSide,
  })).filter(({ start, end }) => end > start)
  return isFlipped ? found.reverse() : found
}

/** Bands of the output, from the top. */
export function bandsOf({ columns, rows, tileWidth, tileHeight, tiles }: TiledPicture, view: HeifView): Band[] {
  const { x, y, width, height, orientation } = view
  const across = spans(columns, tileWidth, x, width, [2, 3, 7, 8].includes(orientation))
  const down = spans(rows, tileHeight, y, height, [3, 4, 6, 7].includes(orientation))
  const swaps = orientation >= 5
  const piecesOf = (one: (typeof across)[number]): Piece[] => {
    let outputX = 0
    return (swaps ? down : across).map((other) => {
      const [column, row] = swaps ? [one, other] : [other, one]
      const area = { x: column.start, y: row.start, width: column.end - column.start, height: row.end - row.start }
      const piece = { tile: tiles[row.index * columns + column.index]!, area, outputX }
      outputX += swaps ? area.height : area.width
      return piece
    })
  }
  return (swaps ? across : down).map((one) => ({ height: one.end - one.start, pieces: piecesOf(one) }))
}

/** Yields strips of whole rows: interleaved samples of 1 or 3 channels, little-endian, valid until the next strip. */
export async function* shownRows(request: RowRequest): AsyncGenerator<Uint8Array> {
  const { picture, view, grey, wide } = request
  const sampleBytes = (grey ? 1 : 3) * (wide ? 2 : 1)
  const { width } = shownSize(view)
  const rowBytes = width * sampleBytes
  for (const { height, pieces } of bandsOf(picture, view)) {
    const [only] = pieces
    if (pieces.length === 1 && only) {
      using decoded = await decodedTile(request, only.tile)
      yield* decoded.strips({ ...viewOf(request, decoded), ...only.area })
      continue
    }
    const band = new Uint8Array(height * rowBytes)
    for (const { tile, area, outputX } of pieces) {
      request.signal.throwIfAborted()
      using decoded = await decodedTile(request, tile)
      const pieceBytes = (view.orientation >= 5 ? area.height : area.width) * sampleBytes
      let to = outputX * sampleBytes
      for (const strip of decoded.strips({ ...viewOf(request, decoded), ...area })) {
        for (let at = 0; at < strip.length; at += pieceBytes, to += rowBytes) band.set(strip.subarray(at, at + pieceBytes), to)
      }
    }
    const step = stripRows(width, sampleBytes) * rowBytes
    for (let at = 0; at < band.length; at += step) yield band.subarray(at, at + step)
  }
}

const viewOf = ({ colours, grey, wide, view: { orientation } }: RowRequest, decoded: YuvPicture) => ({
  orientation,
  ...colours(decoded),
  grey,
  wide,
})

/** Largest coding block in pixels (ITU-T H.265, 7.4.3.2.1). */
const BLOCK = 64
/** Side of a frame with the padding of its last block, which decoders count. */
const wholeBlocks = (side: number) => Math.ceil(side / BLOCK) * BLOCK

/** Decodes a tile and checks that it has the size and form that the file declares. */
export async function decodedTile(
  { picture, decode, read }: Pick<RowRequest, 'picture' | 'decode' | 'read'>,
  tile: CodedTile,
): Promise<YuvPicture> {
  const { coding, tileWidth: width, tileHeight: height } = picture
  const decoded = decode(await read(tile), tile, wholeBlocks(width) * wholeBlocks(height))
  const difference = differenceOf(decoded, coding, tile, { width, height })
  if (!difference) return decoded
  decoded[Symbol.dispose]()
  throw malformed('heif', 0, difference)
}

function differenceOf({ info }: YuvPicture, coding: Coding, tile: CodedTile, { width, height }: { width: number; height: number }) {
  if (info.width !== width || info.height !== height)
    return message('heif_size_differs', { width, height, codedWidth: info.width, codedHeight: info.height })
  const form = formOf(coding, tile)
  const isSame = form.bits === info.bits && form.hasChroma === info.hasChroma
  return isSame ? undefined : message('heif_form_differs', { bits: form.bits, codedBits: info.bits })
}
