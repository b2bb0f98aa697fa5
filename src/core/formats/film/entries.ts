/** Writes sample entries of new tracks for MP4 and QuickTime: H.264 (ISO/IEC 14496-15), AAC (ISO/IEC 14496-14) and MP3. */

import { concat } from '../../bytes/concat.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { type Box, box, boxes, boxOf, fullBox, latin1Bytes, u16At, u32At, words } from '../../containers/isobmff/box.ts'
import type { FrameHeader } from '../../containers/mpeg-audio/frame.ts'
import { unsupported } from '../../model/error.ts'

/** Child boxes of the old sample entry that are valid for the new entry too: colour, pixel shape, aperture, HDR and stereo metadata. */
const KEPT = new Set(['colr', 'pasp', 'clap', 'gama', 'fiel', 'st3d', 'sv3d', 'vexu', 'mdcv', 'clli', 'cclv', 'amve'])

/** Yields the NAL units of a byte string in which each unit follows its four-byte length. */
function* nals(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at + 4 <= bytes.length; ) {
    const size = u32At(bytes, at)
    yield bytes.subarray(at + 4, at + 4 + size)
    at += 4 + size
  }
}

/**
 * `avc1` sample entry with its configuration. Keeps the old entry's colour, pixel shape and aperture boxes.
 *
 * @param headers parameter sets of each part
 */
export function avcEntry(
  headers: readonly Uint8Array[],
  width: number,
  height: number,
  moov: Uint8Array,
  old: Box | undefined,
): Uint8Array {
  return visualEntry('avc1', avcConfiguration(headers), { width, height }, moov, old)
}

/**
 * `hvc1` sample entry. Keeps static HDR metadata and drops Dolby Vision boxes.
 *
 * @param headers HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1) of each part
 * @throws CodecError (unsupported_feature) if the records differ
 */
export function hevcEntry(
  headers: readonly Uint8Array[],
  width: number,
  height: number,
  moov: Uint8Array,
  old: Box | undefined,
): Uint8Array {
  const [record, ...others] = distinct(headers)
  if (!record || others.length > 0) throw unsupported('parts_of_film_need_different_parameter_sets')
  return visualEntry('hvc1', box('hvcC', record), { width, height }, moov, old)
}

type Size = { readonly width: number; readonly height: number }

/** Builds a VisualSampleEntry box (ISO/IEC 14496-12, 12.1.3). */
function visualEntry(type: string, configuration: Uint8Array, { width, height }: Size, moov: Uint8Array, old: Box | undefined): Uint8Array {
  const fields = new ByteWriter(new Uint8Array(78), false)
  fields.at(6).u16(old ? u16At(moov, old.body + 6) : 1) // data_reference_index
  fields.at(24).u16(width).u16(height).u32(0x480000).u32(0x480000) // horizresolution and vertresolution: 72 dpi
  fields.at(40).u16(1) // frame_count 1: one frame per sample
  fields.at(74).u16(24).u16(-1) // depth 24, pre_defined −1 (no colour table)
  const kept = old ? [...boxes(moov, old.body + 78, old.end)].filter((child) => KEPT.has(child.type)) : []
  return boxOf(type, [fields.finish(), configuration, ...kept.map(({ start, end }) => moov.subarray(start, end))])
}

const distinct = (sets: readonly Uint8Array[]) => [...new Map(sets.map((nal) => [nal.join(), nal])).values()]

/** seq_parameter_set_id or pic_parameter_set_id: an Exp-Golomb code of at most 8 bits (Rec. ITU-T H.264, 7.3.2.1.1, 7.3.2.2, 9.1). */
function numberOf(nal: Uint8Array): number {
  const at = (nal[0]! & 31) === 7 ? 4 : 1
  const zeros = Math.clz32(nal[at]!) - 24
  return (nal[at]! >> (7 - 2 * zeros)) - 1
}

/**
 * AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1). @throws CodecError (unsupported_feature) if two parts use one id for
 * different parameter sets
 */
export function avcConfiguration(headers: readonly Uint8Array[]): Uint8Array {
  const sets = distinct(headers.flatMap((part) => [...nals(part)]))
  const sps = sets.filter((nal) => (nal[0]! & 31) === 7)
  const pps = sets.filter((nal) => (nal[0]! & 31) === 8)
  if (new Set(sps.map(numberOf)).size < sps.length || new Set(pps.map(numberOf)).size < pps.length) {
    throw unsupported('parts_of_film_need_different_parameter_sets')
  }
  const profile = maxOf(sps.map((nal) => nal[1]!))
  const compatible = sps.reduce((flags, nal) => flags & nal[2]!, 0xff)
  const level = maxOf(sps.map((nal) => nal[3]!))
  const sized = (nal: Uint8Array) => concat([Uint8Array.of(nal.length >> 8, nal.length), nal])
  const high = profile >= 100 ? [0xfd, 0xf8, 0xf8, 0] : []
  return box(
    'avcC',
    Uint8Array.of(1, profile, compatible, level, 0xff, 0xe0 | sps.length),
    ...sps.map(sized),
    Uint8Array.of(pps.length),
    ...pps.map(sized),
    Uint8Array.from(high),
  )
}

/**
 * Start of an AudioSampleEntry (ISO/IEC 14496-12, 12.2.3). With `samplesPerPacket`, writes QuickTime sound description version 1.
 * `fixedHertz` is 16.16 fixed point.
 */
export function soundFields(channels: number, fixedHertz: number, samplesPerPacket: number | undefined): Uint8Array {
  const quickTime = samplesPerPacket !== undefined
  const fields = new ByteWriter(new Uint8Array(quickTime ? 44 : 28), false)
  fields
    .at(6)
    .u16(1)
    .u16(quickTime ? 1 : 0) // data_reference_index, sound description version
  fields.at(16).u16(channels).u16(16)
  fields.at(24).u32(fixedHertz)
  if (quickTime) {
    fields.at(20).u16(-2) // compressionID −2: variable compression
    fields.at(28).u32(samplesPerPacket)
    fields.at(40).u32(2) // bytesPerSample of the QuickTime sound description
  }
  return fields.finish()
}

/** `mp4a` sample entry for AAC. QuickTime needs version 1 with a `wave` atom around the configuration. */
export function aacEntry(config: Uint8Array, channels: number, hertz: number, bitsPerSecond: number, quickTime: boolean): Uint8Array {
  const fields = soundFields(channels, hertz < 65536 ? hertz * 65536 : 0, quickTime ? 1024 : undefined)
  const esds = fullBox('esds', 0, esDescriptor(config, bitsPerSecond))
  if (!quickTime) return box('mp4a', fields, esds)
  return box('mp4a', fields, box('wave', box('frma', latin1Bytes('mp4a')), box('mp4a', words(0)), esds, words(8, 0)))
}

/** Sample entry for MP3 frames: `mp4a` with an MPEG audio object type in MP4, `.mp3` in QuickTime. */
export function mp3Entry(
  { channels, hertz, samples, version }: Pick<FrameHeader, 'channels' | 'hertz' | 'samples' | 'version'>,
  bitsPerSecond: number,
  quickTime: boolean,
): Uint8Array {
  const fields = soundFields(channels, hertz * 65536, quickTime ? samples : undefined)
  if (!quickTime) {
    // Object types (ISO/IEC 14496-1, table 5): 0x6B MPEG-1 audio, 0x69 MPEG-2 audio.
    return box('mp4a', fields, fullBox('esds', 0, esDescriptor(undefined, bitsPerSecond, version === 1 ? 0x6b : 0x69)))
  }
  return box('.mp3', fields)
}

/** ES_Descriptor (ISO/IEC 14496-1, 7.2.6.5). `objectType` 0x40 is AAC. */
function esDescriptor(config: Uint8Array | undefined, bitsPerSecond: number, objectType = 0x40): Uint8Array {
  const descriptor = (tag: number, ...parts: Uint8Array[]) => {
    const body = concat(parts)
    return concat([Uint8Array.of(tag, 0x80, 0x80, 0x80 | (body.length >> 7), body.length & 127), body])
  }
  // streamType audio (0x15), bufferSizeDB 0, then maxBitrate and avgBitrate.
  const decoder = concat([Uint8Array.of(objectType, 0x15, 0, 0, 0), words(bitsPerSecond, bitsPerSecond)])
  const specific = config ? [descriptor(5, config)] : []
  return descriptor(3, Uint8Array.of(0, 0, 0), descriptor(4, decoder, ...specific), descriptor(6, Uint8Array.of(2)))
}
