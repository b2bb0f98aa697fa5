import {
  avcConfiguration,
  H264,
  type H264Sequence,
  h264PictureSet,
  h264Sequence,
  h264Slice,
  hasRecoveryPoint,
  SLICE_START_BYTES,
} from '../../../containers/h26x/h264.ts'
import { unsupported } from '../../../model/error.ts'
import { ParameterSets } from './parameter-sets.ts'
import type { UnitKind, UnitSyntax } from './unit-framer.ts'

/** Units in front of the first slice of a picture (H.264, 7.4.1.2.3). */
const isBefore = (type: number) => (type >= H264.sei && type <= H264.delimiter) || (type >= 14 && type <= 18)
/** Slices that are cut into partitions, of which MP4 players read none. */
const isPartition = (type: number) => type >= 2 && type <= 4

export class H264Units implements UnitSyntax {
  readonly startBytes = SLICE_START_BYTES
  readonly isSized = true
  readonly sets = new ParameterSets()
  readonly #sequences = new Map<number, H264Sequence>()
  readonly #pictureSets = new Map<number, number>()
  /** Last first slice: its frame, and its field if the other field has not come yet. */
  #frame = -1
  #isIdr = false
  #field: 'top' | 'bottom' | undefined

  kindOf(start: Uint8Array): UnitKind {
    const type = start[0]! & 31
    if (isBefore(type)) return 'before'
    if (isPartition(type)) throw unsupported('ts_partitions')
    if (type !== H264.slice && type !== H264.idr) return 'same'
    const slice = h264Slice(start, (set) => this.#sequences.get(this.#pictureSets.get(set) ?? -1))
    const isSameFrame = slice.frame === this.#frame
    const isIdr = type === H264.idr
    if (!slice.isFirst && isSameFrame && isIdr === this.#isIdr) return 'more'
    const isSecond = slice.isFirst && isSameFrame && this.#field !== undefined && slice.field !== undefined && slice.field !== this.#field
    this.#frame = slice.frame
    this.#isIdr = isIdr
    this.#field = isSecond ? undefined : slice.field
    return isSecond ? 'field' : 'first'
  }

  isStored(first: number): boolean {
    return ![H264.sps, H264.pps].includes((first & 31) as 7 | 8)
  }

  /** Returns true if decoding may begin at the frame of the unit. */
  read(unit: Uint8Array): boolean {
    const type = unit[0]! & 31
    if (type === H264.sps) this.#addSequence(unit)
    else if (type === H264.pps) {
      const { id, sequence } = h264PictureSet(unit)
      this.#pictureSets.set(id, sequence)
      this.sets.add(type, id, unit)
    }
    return type === H264.idr || (type === H264.sei && hasRecoveryPoint(unit))
  }

  #addSequence(unit: Uint8Array): void {
    const sequence = h264Sequence(unit)
    if (!sequence) return
    this.#sequences.set(sequence.id, sequence)
    this.sets.add(H264.sps, sequence.id, unit)
  }

  /** What the stream tells about its pictures. `undefined`: parameter sets are missing. */
  facts(): { readonly sequence: H264Sequence; readonly config: Uint8Array } | undefined {
    const [sequence] = this.#sequences.values()
    const [sequences, pictures] = [this.sets.of(H264.sps), this.sets.of(H264.pps)]
    if (!sequence || pictures.length === 0 || sequences.length > 31) return undefined
    return { sequence, config: avcConfiguration(sequences, pictures, sequence) }
  }
}
