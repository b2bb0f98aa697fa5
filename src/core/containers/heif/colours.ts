/** Colour properties of a HEIF picture. */
import { concat } from '../../bytes/concat.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { HeifProperty } from './meta.ts'

/** Code points of an nclx property (ISO/IEC 14496-12, 12.1.5; ITU-T H.273). */
export interface Nclx {
  readonly primaries: number
  readonly transfer: number
  readonly matrix: number
  readonly fullRange: boolean
}

export interface HeifColours {
  /** `undefined`: the code points of the bitstream apply. */
  readonly nclx: Nclx | undefined
  readonly icc: Uint8Array | undefined
  /** Mastering display in the form of PNG's mDCV. `undefined`: none. */
  readonly mastering: Uint8Array | undefined
  /** Light levels in the form of PNG's cLLI. `undefined`: none. */
  readonly lightLevel: Uint8Array | undefined
}

/** Reads the colour properties of an item. The first of each kind counts. */
export function coloursOf(properties: readonly HeifProperty[]): HeifColours {
  const colr = (...kinds: readonly string[]) =>
    properties.find(({ type, content }) => type === 'colr' && kinds.includes(content.text(0, 4)))?.content
  const nclx = colr('nclx')
  const profile = colr('prof', 'rICC')
  const first = (type: string) => properties.find((property) => property.type === type)?.content
  const mdcv = first('mdcv')
  const clli = first('clli')
  return {
    nclx: nclx && {
      primaries: nclx.u16(4),
      transfer: nclx.u16(6),
      matrix: nclx.u16(8),
      fullRange: (nclx.u8(10) & 0x80) !== 0,
    },
    icc: profile && profile.length > 4 ? profile.bytes.slice(4) : undefined,
    // Boxes list green, blue and red (H.265, D.3.28); PNG has red first.
    mastering:
      mdcv && mdcv.length >= 24 ? concat([mdcv.bytes.subarray(8, 12), mdcv.bytes.subarray(0, 8), mdcv.bytes.subarray(12, 24)]) : undefined,
    // PNG has units of 0.0001 cd/m².
    lightLevel:
      clli && clli.length >= 4
        ? new ByteWriter(new Uint8Array(8), false)
            .u32(clli.u16(0) * 10_000)
            .u32(clli.u16(2) * 10_000)
            .finish()
        : undefined,
  }
}
