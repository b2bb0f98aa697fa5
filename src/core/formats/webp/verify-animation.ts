/** Verifies compressed animations: the structure byte by byte, the frames by decoding. */
import { equalBytes } from '../../bytes/equal.ts'
import { claimDifference, isExact } from '../../images/convert/claims.ts'
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { NO_STILL_PICTURE } from '../../model/loss.ts'
import { trailingDataDifference } from '../../model/trailing-data.ts'
import { differentFrame, worstSimilarity } from './compare-frames.ts'
import { FRAME_HEADER_BYTES, readWebpFile, type WebpFile } from './file.ts'
import type { WebpChunk } from './picture.ts'

export async function verifyAnimation(
  original: Source,
  file: WebpFile,
  { result, outcome }: { readonly result: Source; readonly outcome: Outcome },
  options: Options,
): Promise<Verdict> {
  const found = await readWebpFile(result, options.signal)
  const [before, after] = [[original, file] as const, [result, found] as const]
  const difference =
    (await structureDifference(original, file, result, found)) ?? (await trailingDataDifference(original, file.end, result, found.end))
  if (difference !== undefined) return { equal: false, difference }
  if (isExact(outcome)) {
    const number = await differentFrame(before, after, options)
    return number === undefined ? { equal: true } : { equal: false, difference: `frame ${number}: pixels differ` }
  }
  const claim = claimDifference(outcome, await worstSimilarity(before, after, options))
  return claim === undefined ? { equal: true, ssimulacra2: NO_STILL_PICTURE } : { equal: false, difference: claim }
}

/** Compares all chunks except the pictures: canvas, loops, times and places of the frames, metadata, and unknown chunks. */
async function structureDifference(original: Source, file: WebpFile, result: Source, found: WebpFile): Promise<string | undefined> {
  if (file.chunks.length !== found.chunks.length || file.frames.length !== found.frames.length)
    return `the result has ${found.chunks.length} chunks and ${found.frames.length} frames, expected ${file.chunks.length} and ${file.frames.length}`
  for (const [i, one] of file.chunks.entries()) {
    const other = found.chunks[i]!
    const isSame =
      one.id === other.id && (await sameBytes([original, one], [result, other], one.id === 'ANMF' ? FRAME_HEADER_BYTES : undefined))
    if (!isSame) return `chunk ${i} (${JSON.stringify(one.id)}) differs`
  }
  for (const [i, { others }] of file.frames.entries()) {
    const kept = found.frames[i]!.others
    if (others.length !== kept.length) return `frame ${i} has ${kept.length} unknown chunks, expected ${others.length}`
    for (const [j, one] of others.entries())
      if (one.id !== kept[j]!.id || !(await sameBytes([original, one], [result, kept[j]!]))) return `frame ${i}: unknown chunk ${j} differs`
  }
  return undefined
}

const COMPARED_BYTES = 256 * 1024

/** Compares the bodies of two chunks, or their first `length` bytes. */
async function sameBytes(
  [source, one]: readonly [Source, WebpChunk],
  [result, other]: readonly [Source, WebpChunk],
  length?: number,
): Promise<boolean> {
  if (length === undefined && one.size !== other.size) return false
  const bytes = length ?? one.size
  for (let at = 0; at < bytes; at += COMPARED_BYTES) {
    const step = Math.min(COMPARED_BYTES, bytes - at)
    if (!equalBytes(await source.read(one.offset + at, step), await result.read(other.offset + at, step))) return false
  }
  return true
}
