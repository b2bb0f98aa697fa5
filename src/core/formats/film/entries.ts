/** Writes sample entries of new tracks for MP4 and QuickTime: H.264 and HEVC (ISO/IEC 14496-15). */

import { concat } from '../../bytes/concat.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { type Box, box, boxes, boxOf, u16At, u32At } from '../../containers/isobmff/box.ts'
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
