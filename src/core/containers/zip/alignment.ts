/**
 * Alignment of stored entries. Android maps stored files into memory (zipalign), USDZ and PyTorch read them in place. Writers put the data
 * at a multiple of some bytes by padding in the extra fields of the local header.
 */
import { concat } from '../../bytes/concat.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { extraFields } from './records.ts'

/** Ids of extra fields that only pad: Android (0xD935), USDZ (0x1986), PyTorch (0x4246). */
const PADDING: ReadonlySet<number> = new Set([0xd935, 0x1986, 0x4246])
const ANDROID_PADDING = 0xd935
/** Id, length and alignment: the shortest field of Android. */
const LEAST_PADDING_BYTES = 6
const MAX_EXTRA_BYTES = 0xffff

/** True for a field that only pads. Old versions of zipalign wrote bare zeros, which are no field. */
const isPadding = ({ id, whole }: { readonly id: number | undefined; readonly whole: Uint8Array }): boolean =>
  id === undefined || id === 0 ? whole.every((byte) => byte === 0) : PADDING.has(id)

/** True if the extra fields of a local header pad the data. */
export const hasPadding = (extra: Uint8Array): boolean => [...extraFields(extra)].some(isPadding)

/**
 * Returns the extra fields with new padding, so that they end at a multiple of `alignment`. `offset`: their place in the file. Without
 * padding if the fields would be longer than a header allows.
 */
export function alignedExtra(extra: Uint8Array, offset: number, alignment: number): Uint8Array {
  const kept = concat([...extraFields(extra)].filter((field) => !isPadding(field)).map(({ whole }) => whole))
  const missing = (alignment - ((offset + kept.length) % alignment)) % alignment
  if (missing === 0) return kept
  const bytes = missing < LEAST_PADDING_BYTES ? missing + alignment * Math.ceil((LEAST_PADDING_BYTES - missing) / alignment) : missing
  if (kept.length + bytes > MAX_EXTRA_BYTES) return kept
  const padding = ByteWriter.growing(true)
    .u16(ANDROID_PADDING)
    .u16(bytes - 4)
    .u16(alignment)
    .bytes(new Uint8Array(bytes - LEAST_PADDING_BYTES))
    .finish()
  return concat([kept, padding])
}

/** Returns the largest of `alignments` that divides an offset; 1 if none does. `alignments`: from large to small. */
export const alignmentOf = (offset: number, alignments: readonly number[]): number => alignments.find((each) => offset % each === 0) ?? 1
