/** Sample entries of sound in MP4 and QuickTime: AAC and MP3 (ISO/IEC 14496-14), and their ES descriptors. */

import { concat } from '../../bytes/concat.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { FrameHeader } from '../mpeg-audio/frame.ts'
import { type Box, box, fullBox, latin1Bytes, words } from './box.ts'

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

/** ES_Descriptor (ISO/IEC 14496-1, 7.2.6.5). `objectType` 0x40 is AAC. `streamType` 0x15 is sound, 0x11 pictures. */
export function esDescriptor(config: Uint8Array | undefined, bitsPerSecond: number, objectType = 0x40, streamType = 0x15): Uint8Array {
  const descriptor = (tag: number, ...parts: Uint8Array[]) => {
    const body = concat(parts)
    return concat([Uint8Array.of(tag, 0x80, 0x80, 0x80 | (body.length >> 7), body.length & 127), body])
  }
  // bufferSizeDB 0, then maxBitrate and avgBitrate.
  const decoder = concat([Uint8Array.of(objectType, streamType, 0, 0, 0), words(bitsPerSecond, bitsPerSecond)])
  const specific = config ? [descriptor(5, config)] : []
  return descriptor(3, Uint8Array.of(0, 0, 0), descriptor(4, decoder, ...specific), descriptor(6, Uint8Array.of(2)))
}

/** Object type and decoder-specific information of an ES descriptor (ISO/IEC 14496-1, 7.2.6). */
export function decoderConfig(moov: Uint8Array, esds: Box): { objectType: number; specific: Uint8Array } | undefined {
  let at = esds.body + 4
  let objectType = -1
  for (let nesting = 0; nesting < 8 && at + 2 < esds.end; nesting++) {
    const tag = moov[at++]!
    let size = 0
    for (let i = 0; i < 4; i++) {
      const byte = moov[at++]!
      size = (size << 7) | (byte & 0x7f)
      if (!(byte & 0x80)) break
    }
    if (tag === 3) {
      // ES_ID (2 bytes), then flags: dependsOn (0x80), URL (0x40), OCR (0x20).
      const flags = moov[at + 2]!
      at += 3 + (flags & 0x80 ? 2 : 0)
      if (flags & 0x40) at += 1 + moov[at]!
      if (flags & 0x20) at += 2
    } else if (tag === 4) {
      objectType = moov[at]!
      at += 13
    } else if (tag === 5) {
      return at + size <= esds.end ? { objectType, specific: moov.slice(at, at + size) } : undefined
    } else at += size
  }
  return objectType < 0 ? undefined : { objectType, specific: new Uint8Array() }
}
