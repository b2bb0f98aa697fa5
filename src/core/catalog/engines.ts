/**
 * Table of the engines that may have produced a result, with their versions at build time, for the signed receipt. A test compares the
 * table with the imports of the codecs.
 */
import manifest from '../../../package.json' with { type: 'json' }
import avifDecoder from '../../../wasm/avif-decoder/origin.json' with { type: 'json' }
import avifEncoder from '../../../wasm/avif-encoder/origin.json' with { type: 'json' }
import brotli from '../../../wasm/brotli/origin.json' with { type: 'json' }
import dav1d from '../../../wasm/dav1d/origin.json' with { type: 'json' }
import ffmpeg from '../../../wasm/ffmpeg/origin.json' with { type: 'json' }
import flac from '../../../wasm/flac/origin.json' with { type: 'json' }
import gif from '../../../wasm/gif/origin.json' with { type: 'json' }
import hdf5 from '../../../wasm/hdf5/origin.json' with { type: 'json' }
import hevc from '../../../wasm/hevc/origin.json' with { type: 'json' }
import jpeg from '../../../wasm/jpeg/origin.json' with { type: 'json' }
import jpegls from '../../../wasm/jpegls/origin.json' with { type: 'json' }
import jxlDecoder from '../../../wasm/jxl-decoder/origin.json' with { type: 'json' }
import jxlEncoder from '../../../wasm/jxl-encoder/origin.json' with { type: 'json' }
import jxlPicture from '../../../wasm/jxl-picture/origin.json' with { type: 'json' }
import lame from '../../../wasm/lame/origin.json' with { type: 'json' }
import laz from '../../../wasm/laz/origin.json' with { type: 'json' }
import libdeflate from '../../../wasm/libdeflate/origin.json' with { type: 'json' }
import openjpeg from '../../../wasm/openjpeg/origin.json' with { type: 'json' }
import opus from '../../../wasm/opus/origin.json' with { type: 'json' }
import png from '../../../wasm/png/origin.json' with { type: 'json' }
import resvg from '../../../wasm/resvg/origin.json' with { type: 'json' }
import scale from '../../../wasm/scale/origin.json' with { type: 'json' }
import ssim from '../../../wasm/ssim/origin.json' with { type: 'json' }
import visible from '../../../wasm/visible/origin.json' with { type: 'json' }
import vorbis from '../../../wasm/vorbis/origin.json' with { type: 'json' }
import webp from '../../../wasm/webp/origin.json' with { type: 'json' }
import zlib from '../../../wasm/zlib/origin.json' with { type: 'json' }
import zstd from '../../../wasm/zstd/origin.json' with { type: 'json' }
import type { FormatId } from './index.ts'
import { OUTPUT_ONLY_FORMATS, type Output } from './output-table.ts'
import { holdsFile, type OutputId } from './outputs.ts'

const ORIGINS = {
  'avif-decoder': avifDecoder,
  'avif-encoder': avifEncoder,
  brotli,
  dav1d,
  ffmpeg,
  flac,
  gif,
  hdf5,
  hevc,
  jpeg,
  jpegls,
  'jxl-decoder': jxlDecoder,
  'jxl-encoder': jxlEncoder,
  'jxl-picture': jxlPicture,
  lame,
  laz,
  libdeflate,
  openjpeg,
  opus,
  png,
  resvg,
  scale,
  ssim,
  visible,
  vorbis,
  webp,
  zlib,
  zstd,
} as const satisfies { readonly [name: string]: Origin }

/** `origin.json` of an engine: the sources it was built from, and its Wasm binary. */
interface Origin {
  readonly sources: readonly { readonly name: string; readonly version: string }[]
  readonly wasmSha256: string
}

export type EngineName = keyof typeof ORIGINS

export interface EngineFacts {
  readonly name: string
  /** Version. Only Whittle itself has one, because its code takes part in every result. */
  readonly version?: string
  /** SHA-256 of the Wasm binary, hexadecimal. `undefined` for Whittle itself. */
  readonly wasmSha256?: string
  /** Third-party sources compiled into the engine: name and version. `undefined`: none. */
  readonly sources?: readonly string[]
}

const PICTURES = ['libdeflate', 'png', 'scale', 'ssim', 'visible'] as const
/** Engines for the pictures embedded in documents and packages. */
const PACKAGES = [...PICTURES, 'gif', 'jpeg', 'zlib'] as const
/** Office documents may have pictures in TIFF, too. */
const OFFICE = [...PACKAGES, 'zstd'] as const

/** Engines for results in the input's own format. */
const OWN: { readonly [Id in FormatId]: readonly EngineName[] } = {
  aiff: ['ffmpeg'],
  avi: ['ffmpeg', 'lame', 'libdeflate'],
  avif: [...PICTURES, 'avif-decoder', 'avif-encoder', 'dav1d'],
  bmp: PICTURES,
  data: [],
  dicom: ['jpegls', 'libdeflate', 'zlib'],
  doc: [],
  docx: OFFICE,
  dxf: [],
  // A mail attachment may be in any supported format.
  eml: [...PACKAGES, 'hdf5', 'jpegls', 'laz', 'openjpeg', 'resvg', 'zstd'],
  epub: PACKAGES,
  flac: ['flac'],
  geotiff: ['jpeg', 'libdeflate', 'zlib', 'zstd'],
  gif: [...PICTURES, 'gif'],
  gz: [],
  hdf5: ['hdf5', 'libdeflate'],
  // The engines of AVIF estimate the size of the suggestion.
  heic: [...PICTURES, 'avif-decoder', 'avif-encoder', 'hevc'],
  jpg: [...PICTURES, 'jpeg'],
  kmz: PACKAGES,
  las: ['laz', 'libdeflate'],
  laz: [],
  m4a: ['ffmpeg', 'libdeflate', 'ssim'],
  flv: [],
  mkv: [],
  mov: ['ffmpeg', 'libdeflate', 'ssim'],
  mp3: ['ffmpeg', 'lame'],
  mp4: ['ffmpeg', 'libdeflate', 'ssim'],
  netcdf: ['hdf5', 'libdeflate'],
  netcdf3: [],
  nifti: ['libdeflate', 'zlib'],
  odg: PACKAGES,
  odp: PACKAGES,
  ods: PACKAGES,
  odt: PACKAGES,
  ofd: PACKAGES,
  ogg: [],
  opus: ['opus'],
  pdf: ['jpeg', 'libdeflate', 'openjpeg', 'png', 'scale', 'ssim', 'visible', 'zlib'],
  png: [...PICTURES, 'zlib'],
  ppt: PACKAGES,
  pptx: OFFICE,
  rtf: PACKAGES,
  shapefile: ['libdeflate', 'zlib'],
  svg: [...PACKAGES, 'resvg'],
  text: [],
  ts: [],
  tiff: ['jpeg', 'libdeflate', 'zlib', 'zstd'],
  wav: ['ffmpeg'],
  webm: [],
  webp: [...PICTURES, 'webp'],
  xls: PACKAGES,
  xlsx: OFFICE,
  zip: ['libdeflate', 'zlib'],
}

/** Additional engines if the result has another format than the input. */
const CONVERTED: { readonly [Id in OutputId]?: readonly EngineName[] } = {
  avif: ['avif-decoder', 'avif-encoder', 'dav1d'],
  flac: ['flac'],
  jpg: ['jpeg'],
  jxl: ['jxl-decoder', 'jxl-picture'],
  m4a: ['ffmpeg', 'libdeflate'],
  mp3: ['ffmpeg', 'lame'],
  opus: ['opus'],
  webp: ['webp'],
}
/** Engines of conversions to another container, by format and output. */
const CONTAINERS: { readonly [conversion: string]: readonly EngineName[] | undefined } = {
  'mkv mp4': ['ffmpeg', 'libdeflate', 'ssim'],
  'flv mp4': ['ffmpeg', 'libdeflate', 'ssim'],
  'ts mp4': ['ffmpeg', 'libdeflate', 'ssim'],
  'webm mp4': ['ffmpeg', 'libdeflate', 'ssim'],
}
/** Engines that decode the input if the result has another format. */
const DECODERS: { readonly [Id in FormatId]?: readonly EngineName[] } = { ogg: ['flac', 'opus', 'vorbis'], opus: ['flac', 'vorbis'] }

/** Engines of outputs that are no input format. A row with an unknown engine name does not compile. */
const OTHERS: { readonly [id: string]: Pick<Output, 'title'> & { readonly engines?: readonly EngineName[] } } = OUTPUT_ONLY_FORMATS

/** Engines of outputs that hold the file itself, which write and verify them. */
const HOLDERS: { readonly [Id in OutputId]?: readonly EngineName[] } = {
  br: ['brotli'],
  gz: ['libdeflate', 'zlib'],
  zst: ['zstd'],
}
/** Engines of pictures from which the file can be rebuilt. */
const HOLDING_PICTURES: readonly EngineName[] = ['jxl-decoder', 'jxl-encoder']

/** Returns the names of the engines for a conversion, sorted. */
export function engineNames(format: FormatId, output: OutputId): EngineName[] {
  const holder = holdsFile(format, output) ? HOLDING_PICTURES : HOLDERS[output]
  if (holder) return [...holder]
  const container = CONTAINERS[`${format} ${output}`] ?? []
  const others = output === format ? [] : [...(DECODERS[format] ?? []), ...(CONVERTED[output] ?? OTHERS[output]?.engines ?? [])]
  const names = [...OWN[format], ...container, ...others]
  return [...new Set(names)].sort()
}

/** Returns Whittle and the engines that may have produced a file of `format` as `output`. */
export function enginesOf(format: FormatId, output: OutputId): EngineFacts[] {
  const engines = engineNames(format, output).map((name): EngineFacts => {
    const { sources, wasmSha256 }: Origin = ORIGINS[name]
    return { name, wasmSha256, ...(sources.length > 0 && { sources: sources.map((source) => `${source.name} ${source.version}`) }) }
  })
  return [{ name: manifest.name, version: manifest.version }, ...engines]
}
