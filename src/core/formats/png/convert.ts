/** Reads a PNG for conversion to JPEG, WebP, AVIF or a smaller PNG: its rows and metadata. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { GATHER_BYTES, rowBytesOf } from '../../../../wasm/png/engine.ts'
import { pngRows } from '../../../../wasm/png/png.ts'
import { inflateZlib } from '../../bytes/inflate-stream.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { message } from '../../i18n/message.ts'
import type { HdrPicture } from '../../images/avif/hdr.ts'
import type { ConvertiblePicture } from '../../images/convert/convert.ts'
import { type PictureMetadata, type Raster, stripRows } from '../../images/raster/raster.ts'
import type { Raster16 } from '../../images/raster/raster16.ts'
import type { Options, Source } from '../../model/codec.ts'
import { overBudget, unsupported } from '../../model/error.ts'
import { transferredChunk as carriedChunk, FORM_CHUNKS } from './chunks.ts'
import { pngDataPicture } from './exactness.ts'
import { hasUnusualGamma, openPngFile, type PngFile, streamPng } from './file.ts'
import { gamutProfile, needsCodePoints } from './gamut.ts'
import { chunkOf, GAIN_MAP_CHUNKS, hdrOf, signallingOf } from './signalling.ts'
import { commentsOf, resolutionOf } from './texts.ts'

const MOST_PROFILE_BYTES = 4 * 1024 * 1024

/**
 * Reads the picture for a conversion. @param examinesData false if the caller does not need to know whether programs use the samples as data
 */
export async function pngForConversion(source: Source, options: Options, examinesData = true): Promise<ConvertiblePicture> {
  const file = await openPngFile(source, options)
  if (file.animated) throw unsupported('animation_in_format_of_still_pictures')
  if (hasUnusualGamma(file)) throw unsupported('gamma_other_formats_cannot_say')
  const { header } = file
  const hdr = hdrFor(file, source, options)
  const data = hdr || options.output === 'png' || !examinesData ? undefined : await pngDataPicture(file)
  // Only a user may request the conversion of data, not a document that contains the picture.
  if (data && options.inner.depth > 0) throw unsupported(message('data_as', { output: options.output, what: data.what }))
  const descriptive = descriptiveMetadata(file, options)
  if (header.interlaced && (rowBytesOf(header, header.width) + 1) * header.height > GATHER_BYTES)
    throw overBudget('interlaced_picture_of_this_size')
  const chunks = file.items.flatMap((item) => {
    if (!('type' in item) || PIXEL_CHUNKS.has(item.type)) return []
    const data = carriedChunk(item, header, { colourType: 6, bitDepth: 8 })
    return data ? [{ type: item.type, data }] : []
  })
  return {
    raster: rasterOf(file, source, options),
    carried: { ...carriedOf(file, options.output), ...descriptive.carried },
    ...(hdr && { hdr }),
    data,
    ...(header.bitDepth === 16 ? { raster16: deepRowsOf(file, source, options) } : {}),
    chunks,
    end: file.end,
    omitted: (output) =>
      leftOut(file, output === 'png' ? chunks.map(({ type }) => type) : keptTypes(file, output), descriptive.transferred),
  }
}

/** Resolution and comments for JPEG output. */
function descriptiveMetadata(file: PngFile, { output }: Options) {
  if (output !== 'jpg') return { carried: {}, transferred: [] }
  const comments = commentsOf(file)
  return {
    carried: { resolution: resolutionOf(file), comments: comments.map(({ comment }) => comment) },
    transferred: [chunkOf(file, 'pHYs'), ...comments.map(({ chunk }) => chunk)],
  }
}

/** Types of chunks whose content the output keeps. An ICC profile replaces cHRM. */
const keptTypes = (file: PngFile, output: string): string[] => [
  ...CARRIED,
  ...(output === 'avif' ? SIGNALS : ['cICP']),
  ...(gamutProfile(file) ? ['cHRM'] : []),
]

/** HDR picture for AVIF output. `undefined`: the picture is SDR. @throws CodecError if the output cannot store the colours */
function hdrFor(file: PngFile, source: Source, options: Options): HdrPicture | undefined {
  const { output } = options
  const hdr = hdrOf(file)
  const signalling = signallingOf(file)
  if (signalling && !signalling.fullRange && output !== 'png') throw unsupported('samples_of_narrow_range_in_another_format')
  if (output === 'png') return undefined
  if (!hdr && output !== 'avif' && needsCodePoints(file)) throw unsupported(message('cicp_colours_without_profile', { output }))
  if (!hdr) return undefined
  if (output !== 'avif' || !signalling || chunkOf(file, ...GAIN_MAP_CHUNKS))
    throw unsupported(message(signalling ? 'hdr_has_no_place_but_avif' : 'hdr_has_no_place', { hdr, output }))
  return { deep: deepRowsOf(file, source, options), carried: { ...carriedOf(file, output), signalling } }
}

/** Chunks that describe the stored form or the pixel size. */
const PIXEL_CHUNKS = new Set(['bKGD', 'sBIT', 'hIST', 'sPLT', 'pHYs', 'oFFs'])
/** Chunks whose content all other formats can store. */
const CARRIED = ['iCCP', 'eXIf', 'sRGB', 'gAMA']
/** Chunks whose content only AVIF can store. */
const SIGNALS = ['cICP', 'mDCV', 'cLLI', 'mDCv', 'cLLi']

/** Types of the chunks that a conversion drops. */
function leftOut({ items }: PngFile, kept: readonly string[], transferred: readonly unknown[]): string[] {
  const isXmp = ({ data }: { data: Uint8Array }) => latin1Of(data.subarray(0, XMP.length)) === XMP
  const left = items.filter(
    (item) => 'type' in item && !transferred.includes(item) && !kept.includes(item.type) && !FORM_CHUNKS.has(item.type) && !isXmp(item),
  )
  return [...new Set(left.flatMap((item) => ('type' in item ? [item.type] : [])))]
}

function rasterOf(file: PngFile, source: Source, options: Options): Raster {
  const { width, height, colourType, key, paletteAlpha } = file.header
  const alpha = (colourType & 4) !== 0 || key !== undefined || paletteAlpha !== undefined
  const channels = alpha ? 4 : colourType === 0 ? 1 : 3
  const form = alpha ? 'rgba8' : colourType === 0 ? 'gray8' : 'rgb8'
  return {
    width,
    height,
    channels,
    async *rows() {
      const most = stripRows(width, channels) * width * channels
      for await (const { rows } of pngRows(streamPng(source, options, file.work), form)) {
        for (let at = 0; at < rows.length; at += most) yield rows.subarray(at, at + most)
        discard(rows)
      }
    },
  }
}

function deepRowsOf(file: PngFile, source: Source, options: Options): Raster16 {
  const { width, height } = file.header
  return {
    width,
    height,
    async *rows() {
      for await (const { rows } of pngRows(streamPng(source, options, file.work), 'rgba16')) {
        yield new Uint16Array(rows.buffer, rows.byteOffset, rows.byteLength / 2)
        discard(rows)
      }
    },
  }
}

/** Metadata in iCCP, eXIf and the XMP packet in iTXt (W3C PNG, 11.3.2.3, 11.3.4.4; XMP part 3, 1.1.5). */
function carriedOf(file: PngFile, output: string): PictureMetadata {
  const { items } = file
  const chunk = (type: string, start = '') =>
    items.find((item) => 'type' in item && item.type === type && latin1Of(item.data.subarray(0, start.length)) === start) as
      | { data: Uint8Array }
      | undefined
  const profile = chunk('iCCP')?.data
  const named = profile ? profile.indexOf(0) : -1
  const xmp = chunk('iTXt', XMP)?.data
  const signalling = output === 'avif' && chunk('cICP') ? signallingOf(file) : undefined
  return {
    ...(signalling && { signalling }),
    icc: (profile && named >= 0 ? inflate(profile.subarray(named + 2)) : undefined) ?? (signalling ? undefined : gamutProfile(file)),
    exif: chunk('eXIf')?.data,
    xmp: xmp && xmpOf(xmp),
  }
}

const XMP = 'XML:com.adobe.xmp\0'

function inflate(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return inflateZlib(bytes, MOST_PROFILE_BYTES)
  } catch {
    return undefined // ignore a damaged profile
  }
}

function xmpOf(data: Uint8Array): Uint8Array | undefined {
  const compressed = data[XMP.length] === 1
  const language = data.indexOf(0, XMP.length + 2)
  const keyword = language < 0 ? -1 : data.indexOf(0, language + 1)
  if (keyword < 0) return undefined
  const text = data.subarray(keyword + 1)
  return compressed ? inflate(text) : text
}
