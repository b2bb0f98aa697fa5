import { HEVC, type HevcSequence, hevcConfiguration, hevcSequence, hevcType } from '../../../containers/h26x/hevc.ts'
import { NalBits } from '../../../containers/h26x/nal-bits.ts'
import { ParameterSets } from './parameter-sets.ts'
import type { UnitKind, UnitSyntax } from './unit-framer.ts'

/** Units in front of the first slice of a picture (H.265, 7.4.2.4.4). */
const isBefore = (type: number) =>
  (type >= HEVC.vps && type <= HEVC.delimiter) || type === HEVC.prefixSei || (type >= 41 && type <= 44) || (type >= 48 && type <= 55)
const SETS = [HEVC.vps, HEVC.sps, HEVC.pps] as const
const [HEADER_BYTES, COMPLETE] = [2, 0x80]

export class HevcUnits implements UnitSyntax {
  readonly startBytes = 3
  readonly isSized = true
  readonly sets = new ParameterSets()
  #sequence: HevcSequence | undefined

  kindOf(start: Uint8Array): UnitKind {
    const type = hevcType(start[0]!)
    const layer = ((start[0]! & 1) << 5) | ((start[1] ?? 0) >> 3)
    // Units of further layers belong to the picture of the first one.
    if (type > HEVC.lastSlice) return layer === 0 && isBefore(type) ? 'before' : 'same'
    const isFirstSlice = ((start[2] ?? 0) & 0x80) !== 0
    return layer === 0 && isFirstSlice ? 'first' : 'more'
  }

  isStored(first: number): boolean {
    return !(SETS as readonly number[]).includes(hevcType(first))
  }

  /** Returns true if decoding may begin at the frame of the unit. */
  read(unit: Uint8Array): boolean {
    const type = hevcType(unit[0]!)
    if (type === HEVC.sps) this.#sequence ??= hevcSequence(unit)
    if (!this.isStored(unit[0]!)) this.sets.add(type, idOf(type, unit), unit)
    return type >= HEVC.firstKey && type <= HEVC.lastKey
  }

  /** What the stream tells about its pictures. `undefined`: parameter sets are missing. */
  facts(): { readonly sequence: HevcSequence; readonly config: Uint8Array } | undefined {
    const sets = SETS.map((type) => [type | COMPLETE, this.sets.of(type)] as const)
    if (!this.#sequence || sets.some(([, units]) => units.length === 0)) return undefined
    return { sequence: this.#sequence, config: hevcConfiguration(sets, this.#sequence) }
  }
}

/** Number of a parameter set, with the layer that it belongs to. */
function idOf(type: number, unit: Uint8Array): number {
  const layer = ((unit[0]! & 1) << 5) | ((unit[1] ?? 0) >> 3)
  const bits = new NalBits(type === HEVC.sps ? unit : unit.subarray(0, 16), HEADER_BYTES)
  if (type === HEVC.vps) return 64 * layer + bits.bits(4)
  if (type === HEVC.pps) return 64 * layer + bits.golomb()
  bits.skip(4)
  const layers = bits.bits(3)
  bits.skip(1 + 96)
  const told = Array.from({ length: layers }, () => [bits.flag(), bits.flag()] as const)
  if (layers > 0) bits.skip(2 * (8 - layers))
  for (const [hasProfile, hasLevel] of told) bits.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0))
  return 64 * layer + bits.golomb()
}
