/** Compares a result with its original: every byte outside of changed pictures is equal, and changed pictures decode. */
import { discard } from '../../../../wasm/memories/discard.ts'
import { concat } from '../../bytes/concat.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { streamDifference } from '../../containers/zip/compare.ts'
import { readPictureHeader } from '../../embedded/image-header.ts'
import { pictureProblem } from '../../embedded/package-codec.ts'
import type { VerifiedFiles } from '../../embedded/verification-cache.ts'
import type { Source, Verdict } from '../../model/codec.ts'
import { isCandidate } from './compress.ts'
import { partsOf, textOf } from './edits.ts'
import type { Range, RtfPicture } from './picture.ts'
import { bytesOf, dataOf } from './ranges.ts'
import { scanRtf } from './scan.ts'

export async function verifyRtf(
  original: Source,
  result: Source,
  signal: AbortSignal,
  verified: VerifiedFiles | undefined,
): Promise<Verdict> {
  const [before, after] = [await scanRtf(original, signal), await scanRtf(result, signal)]
  if (before.length !== after.length) return { equal: false, difference: `${before.length} pictures became ${after.length}` }
  const pair = { original, result, verified }
  let [at, freshAt] = [0, 0]
  for (const [index, picture] of before.entries()) {
    signal.throwIfAborted()
    const fresh = after[index]!
    const difference = await pictureDifference(pair, [picture, at], [fresh, freshAt])
    if (difference) return { equal: false, difference: `picture ${index + 1}: ${difference}` }
    ;[at, freshAt] = [endOf(picture), endOf(fresh)]
  }
  const rest = await rangeDifference(pair, { start: at, end: original.size }, { start: freshAt, end: result.size })
  return rest === undefined ? { equal: true } : { equal: false, difference: 'the text behind the last picture changed' }
}

interface Pair {
  readonly original: Source
  readonly result: Source
  readonly verified: VerifiedFiles | undefined
}

const endOf = (picture: RtfPicture) => partsOf(picture).at(-1)!.range.end

const rangeDifference = async ({ original, result }: Pair, before: Range, after: Range): Promise<string | undefined> =>
  before.end - before.start === after.end - after.start
    ? streamDifference(bytesOf(original, before), bytesOf(result, after))
    : 'another length'

/** Compares a picture with its result, and the bytes before it from the given offsets. */
async function pictureDifference(
  pair: Pair,
  [before, at]: readonly [RtfPicture, number],
  [after, freshAt]: readonly [RtfPicture, number],
): Promise<string | undefined> {
  const [parts, fresh] = [partsOf(before), partsOf(after)]
  if (parts.length !== fresh.length) return 'it has other parts'
  if ((await rangeDifference(pair, { start: at, end: endOf(before) }, { start: freshAt, end: endOf(after) })) === undefined)
    return undefined
  if (!isCandidate(before)) return 'it may not change'
  let [from, freshFrom] = [at, freshAt]
  for (const [index, { role, range }] of parts.entries()) {
    const other = fresh[index]!
    if (other.role !== role) return 'its parts have another order'
    const between = [
      { start: from, end: range.start },
      { start: freshFrom, end: other.range.start },
    ] as const
    if ((await rangeDifference(pair, ...between)) !== undefined) return 'the text around it changed'
    ;[from, freshFrom] = [range.end, other.range.end]
  }
  return contentDifference(pair, before, after)
}

async function contentDifference({ original, result, verified }: Pair, before: RtfPicture, after: RtfPicture): Promise<string | undefined> {
  const [old, bytes] = [await dataOf(original, before), await dataOf(result, after)]
  if (readPictureHeader(bytes)?.kind !== after.kind) return 'its data is of another kind'
  const fresh = { kind: after.kind, bytes, layout: undefined }
  for (const { role, range } of partsOf(after)) {
    if (role === 'data') continue
    const text = concat([...textOf(role, fresh)])
    if (!equalBytes(await result.read(range.start, range.end - range.start), text)) return `its ${role} does not fit`
  }
  const problem = await pictureProblem(old, bytes, { mayBecomeJpeg: true, verified })
  discard(old)
  discard(bytes)
  return problem
}
