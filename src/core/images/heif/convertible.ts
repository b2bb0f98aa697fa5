/** Prepares the picture of a HEIF file for conversion: pixels, colours and metadata in the form that an output stores. */
import type { AncillaryChunk } from '../../../../wasm/png/png.ts'
import type { PixelLimits } from '../../catalog/format.ts'
import type { HeifColours } from '../../containers/heif/colours.ts'
import { type HeifFile, readHeifFile } from '../../containers/heif/meta.ts'
import { type HeifPicture, readExif, readHeifPicture, readXmp } from '../../containers/heif/picture.ts'
import type { Coding } from '../../containers/heif/tiled-picture.ts'
import { message } from '../../i18n/message.ts'
import { maxPixelsOf } from '../../model/budget.ts'
import type { Options, Source } from '../../model/codec.ts'
import { CREDENTIALS_HEAD_BYTES, isCredentialsBox, signedByCredentials } from '../../model/content-credentials.ts'
import { overBudget, unsupported } from '../../model/error.ts'
import type { ConvertiblePicture } from '../convert/convert.ts'
import type { AvifForm } from '../raster/avif-form.ts'
import { codePointProfile, isSrgb } from '../raster/code-point-profile.ts'
import { type ColourSignalling, isHdr, nameOfSignalling } from '../raster/colour-signalling.ts'
import { withUprightOrientation } from '../raster/orientation.ts'
import type { PictureMetadata } from '../raster/raster.ts'
import { toRaster16 } from '../raster/raster16.ts'
import { asCoded, keptFormOf } from './kept-form.ts'
import { formOfTiles } from './planes.ts'
import { type HeifRasters, openHeifRaster } from './raster.ts'
import type { TileDecoder } from './tile-rows.ts'

/** File and the picture that viewers show of it. */
export interface OpenHeif {
  readonly file: HeifFile
  readonly picture: HeifPicture
}

/** Reads the structure. @throws CodecError (signed) if the file has content credentials */
export async function openHeif(source: Source, signal: AbortSignal): Promise<OpenHeif> {
  const file = await readHeifFile(source, signal)
  for (const at of file.uuidBoxes) if (isCredentialsBox(await source.read(at, CREDENTIALS_HEAD_BYTES))) throw signedByCredentials()
  return { file, picture: await readHeifPicture(source, file) }
}

/** Unspecified code points (ITU-T H.273). */
const UNSPECIFIED = 2

/** Code points and light levels. `undefined`: the file has none, which means sRGB. */
function signallingOf({ nclx, mastering, lightLevel }: HeifColours): ColourSignalling | undefined {
  const isSpecified = nclx && (nclx.primaries !== UNSPECIFIED || nclx.transfer !== UNSPECIFIED)
  if (!isSpecified && !mastering && !lightLevel) return undefined
  // RGB always has full range. The range of the planes is that of their coding.
  return {
    primaries: nclx?.primaries ?? UNSPECIFIED,
    transfer: nclx?.transfer ?? UNSPECIFIED,
    fullRange: true,
    ...(mastering && { mastering }),
    ...(lightLevel && { lightLevel }),
  }
}

/** Decoder of a format. */
export interface HeifDecoder {
  readonly coding: Coding
  readonly decode: TileDecoder
  readonly mostPixels: PixelLimits
}

/**
 * Returns the picture for conversion: as viewers show it, or, if AVIF becomes AVIF, as it is coded, with what turns and crops it.
 * @throws CodecError if the output cannot store it, or the job has too little memory
 */
export async function heifForConversion(
  source: Source,
  opened: OpenHeif,
  { coding, decode, mostPixels }: HeifDecoder,
  options: Options,
  as: 'shown' | 'coded' = 'shown',
): Promise<ConvertiblePicture> {
  const heif = as === 'coded' ? { ...opened, picture: asCoded(opened.picture) } : opened
  const { file, picture } = heif
  const { colour } = picture
  for (const one of [colour, picture.alpha])
    if (one && one.coding !== coding) throw unsupported(message('heif_item_type', { type: one.coding }))
  if (picture.furtherPictures > 0) throw unsupported(message('heif_further_pictures', { count: picture.furtherPictures }))
  const most = maxPixelsOf(mostPixels, options)
  const { width, height } = colour
  if (width * height > most) throw overBudget(message('more_pixels_than_job_may', { width, height, megapixels: Math.floor(most / 1e6) }))
  checkOutput(signallingOf(picture.colours), picture, options)
  const rasters = openHeifRaster(source, heif, decode, options)
  const form = as === 'coded' ? await keptFormOf(source, heif, decode) : undefined
  const signalling = signallingOf(form ? { ...picture.colours, nclx: form.coding } : picture.colours)
  const carried = await metadataOf(source, heif, { signalling, form }, options)
  return {
    raster: rasters.raster,
    carried,
    ...deepFields(rasters, carried, signalling, options),
    chunks: chunksOf(picture, signalling, options),
    end: file.end,
    pristine: false,
    // Samples of a lossy format are no exact data.
    data: undefined,
    omitted: () => picture.others,
  }
}

/** @throws CodecError if only AVIF can store the colours */
function checkOutput(signalling: ColourSignalling | undefined, { colours: { icc }, colour }: HeifPicture, { output }: Options): void {
  if (!signalling || output === 'avif') return
  if (isHdr(signalling)) throw unsupported(message('heif_hdr_has_no_place', { hdr: nameOfSignalling(signalling), output }))
  const isGrey = !formOfTiles(colour).hasChroma
  const { primaries, transfer } = signalling
  const isPlain = icc || isGrey || isSrgb(signalling) || (primaries === UNSPECIFIED && transfer === UNSPECIFIED)
  if (!isPlain && output !== 'png' && !codePointProfile(withDefaults(signalling)))
    throw unsupported(message('heif_colours_without_profile', { output, colours: nameOfSignalling(signalling) }))
}

/** Code points with those of sRGB where the file does not specify them. */
const withDefaults = ({ primaries, transfer }: ColourSignalling) => ({
  primaries: primaries === UNSPECIFIED ? 1 : primaries,
  transfer: transfer === UNSPECIFIED ? 13 : transfer,
})

async function metadataOf(
  source: Source,
  { file, picture }: OpenHeif,
  { signalling, form }: Pick<PictureMetadata, 'signalling'> & { readonly form: Omit<AvifForm, 'exif'> | undefined },
  { output }: Options,
): Promise<PictureMetadata> {
  const { colours, exif, xmp, colour } = picture
  const needsProfile = signalling && (output === 'jpg' || output === 'webp' || output === 'jxl') && formOfTiles(colour).hasChroma
  const block = exif === undefined ? undefined : await readExif(source, file, exif)
  return {
    ...(output === 'avif' && signalling && { signalling }),
    ...(form && { form: { ...form, exif: block } }),
    icc: colours.icc ?? (needsProfile ? codePointProfile(withDefaults(signalling)) : undefined),
    // Readers ignore the EXIF orientation of HEIF files; the pixels are upright already.
    exif: block && withUprightOrientation(block),
    xmp: xmp === undefined ? undefined : await readXmp(source, file, xmp),
  }
}

/** More than 8 bits: AVIF keeps ten of them, other outputs are measured against all. */
function deepFields(
  { raster, raster16, bits }: HeifRasters,
  carried: PictureMetadata,
  signalling: ColourSignalling | undefined,
  options: Options,
): Pick<ConvertiblePicture, 'hdr' | 'raster16'> {
  const hdr = signalling !== undefined && isHdr(signalling)
  if (!raster16 && !hdr) return {}
  if (options.output !== 'avif') return raster16 ? { raster16 } : {}
  if (bits > MOST_AVIF_BITS) throw unsupported(message('heif_bits_avif_does_not_keep', { bits, kept: MOST_AVIF_BITS }))
  const named = signalling ?? { primaries: UNSPECIFIED, transfer: UNSPECIFIED, fullRange: true }
  return { ...(raster16 && { raster16 }), hdr: { deep: raster16 ?? toRaster16(raster), carried: { ...carried, signalling: named } } }
}

/** Bits per sample of AVIF results. */
const MOST_AVIF_BITS = 10

/** cICP chunk of a PNG (W3C PNG, 11.3.2.6). A profile describes the colours better, and cICP would have priority over it. */
function chunksOf({ colours }: HeifPicture, signalling: ColourSignalling | undefined, { output }: Options): AncillaryChunk[] {
  if (output !== 'png' || !signalling || colours.icc) return []
  const { primaries, transfer } = withDefaults(signalling)
  return [{ type: 'cICP', data: Uint8Array.of(primaries, transfer, 0, 1) }]
}
