/** Sample entries of pictures (ISO/IEC 14496-12, 12.1.3). */
import { ByteWriter } from '../../../../bytes/writer.ts'
import { box, boxOf, fullBox, halfWords, latin1Bytes, words } from '../../../../containers/isobmff/box.ts'
import { esDescriptor } from '../../../../containers/isobmff/sound-entry.ts'
import { notInMp4 } from './refusals.ts'
import type { MkvTrack } from './track.ts'
import type { Colours, VideoFacts } from './video-facts.ts'
import { vp9Configuration } from './vp9.ts'

/** Bytes of the first frame that tell what the container does not. */
export const FIRST_PICTURE_BYTES = 64

/**
 * @param first start of the first frame
 * @throws CodecError (unsupported_feature) for pictures that MP4 cannot hold, or whose configuration is missing
 */
export function videoEntry(track: MkvTrack, first: Uint8Array, framesPerSecond: number): Uint8Array {
  const video = track.video!
  const [type, configuration] = codecOf(track, first, framesPerSecond)
  const fields = new ByteWriter(new Uint8Array(78), false)
  fields.at(6).u16(1) // data_reference_index
  fields.at(24).u16(video.width).u16(video.height).u32(0x480000).u32(0x480000) // horizresolution and vertresolution: 72 dpi
  fields.at(40).u16(1) // frame_count 1: one frame per sample
  fields.at(74).u16(24).u16(-1) // depth 24, pre_defined −1 (no colour table)
  const extensions = track.extensions.map(([name, body]) => box(name, body))
  return boxOf(type, [fields.finish(), configuration, ...extensions, ...shownAs(video)])
}

/** Object types of pictures (ISO/IEC 14496-1, table 5), and their stream type. */
const MPEG_TYPES: { readonly [codec: string]: number | undefined } = { V_MPEG1: 0x6a, V_MPEG2: 0x61 }
const PICTURES = 0x11

function codecOf(track: MkvTrack, first: Uint8Array, framesPerSecond: number): readonly [type: string, configuration: Uint8Array] {
  const { codec, config, video } = track
  const isWhole = (bytes: number, version: number) => config.length >= bytes && config[0] === version
  const broken = () => notInMp4(track, 'mkv_why_configuration')
  if (codec === 'V_MPEG4/ISO/AVC') {
    if (!isWhole(7, 1)) throw broken()
    return ['avc1', box('avcC', config)]
  }
  if (codec === 'V_MPEGH/ISO/HEVC') {
    if (config.length < 23) throw broken()
    return [hasAllParameterSets(config) ? 'hvc1' : 'hev1', box('hvcC', config)]
  }
  if (codec === 'V_AV1') {
    if (!isWhole(4, 0x81)) throw broken()
    return ['av01', box('av1C', config)]
  }
  if (codec === 'V_VP9') {
    const configuration = vp9Configuration(first, video!, framesPerSecond)
    if (!configuration) throw broken()
    return ['vp09', fullBox('vpcC', 0x1000000, configuration)]
  }
  const objectType = MPEG_TYPES[codec]
  if (objectType) return ['mp4v', fullBox('esds', 0, esDescriptor(undefined, 0, objectType, PICTURES))]
  throw notInMp4(track, 'mkv_why_codec')
}

/** True if the arrays of parameter sets are complete (ISO/IEC 14496-15, 8.3.3.1), so that samples hold none. */
function hasAllParameterSets(config: Uint8Array): boolean {
  const complete = new Set<number>()
  let at = 23
  for (let i = 0; i < config[22]! && at + 3 <= config.length; i++) {
    const kind = config[at]!
    if (kind & 0x80) complete.add(kind & 63)
    let units = (config[at + 1]! << 8) | config[at + 2]!
    for (at += 3; units > 0 && at + 2 <= config.length; units--) at += 2 + ((config[at]! << 8) | config[at + 1]!)
  }
  return [32, 33, 34].every((kind) => complete.has(kind))
}

/** Colours, HDR metadata and the shape of pixels. */
function shownAs({ colours, mastering, lightLevel, pixelShape }: VideoFacts): Uint8Array[] {
  const [width, height] = pixelShape
  return [
    ...(colours && isSpecified(colours) ? [colourBox(colours)] : []),
    ...(mastering ? [masteringBox(mastering)] : []),
    ...(lightLevel ? [box('clli', halfWords(...lightLevel))] : []),
    ...(width === height ? [] : [box('pasp', words(width, height))]),
  ]
}

const UNSPECIFIED = 2
const isSpecified = ({ primaries, transfer, matrix, isFullRange }: Colours) =>
  [primaries, transfer, matrix].some((code) => code !== UNSPECIFIED) || isFullRange !== undefined

const colourBox = ({ primaries, transfer, matrix, isFullRange = false }: Colours) =>
  box('colr', latin1Bytes('nclx'), halfWords(primaries, transfer, matrix), Uint8Array.of(isFullRange ? 0x80 : 0))

/** `mdcv`: green, blue, red and white in units of 0.00002, luminances in units of 0.0001 cd/m² (ISO/IEC 14496-12, 12.1.6). */
function masteringBox([redX, redY, greenX, greenY, blueX, blueY, whiteX, whiteY, most, least]: readonly number[]): Uint8Array {
  const places = [greenX, greenY, blueX, blueY, redX, redY, whiteX, whiteY].map((value) => Math.min(65_535, Math.round(value! * 50_000)))
  return box('mdcv', halfWords(...places), words(Math.round(most! * 10_000), Math.round(least! * 10_000)))
}
