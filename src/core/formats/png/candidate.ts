/** Candidate results, which are compared before one of them is written. */

import type { Layout } from '../../../../wasm/png/engine.ts'
import { mostExactBytes } from '../../catalog/small-pictures.ts'
import { message } from '../../i18n/message.ts'
import { redeflated, rowBytesIfFew } from '../../images/png/redeflate.ts'
import type { Options, Outcome, Sink } from '../../model/codec.ts'
import { noGain } from '../../model/error.ts'
import type { PngFile } from './file.ts'
import { MOST_REDEFLATE_RATIO } from './tuning.ts'

export interface Candidate {
  /** Size of the whole file in bytes. */
  readonly bytes: number
  /** True if all samples are equal to the upload's. */
  readonly isExact: boolean
  write(sink: Sink): Promise<Outcome>
  /** Returns the candidate with its image data deflated again by an optimal parser. Absent if the rows are too many. */
  redeflated?(): Promise<Candidate>
}

/**
 * Returns the smallest candidate, after deflating all close ones again; the first of equals. Small pictures prefer a lossless candidate
 * unless a lossy one saves enough (`mostExactBytes`).
 */
export async function smallestOf(
  candidates: readonly Candidate[],
  size: { readonly width: number; readonly height: number },
): Promise<Candidate | undefined> {
  const least = smallest(candidates)
  if (!least) return undefined
  const most = mostExactBytes(least.bytes, size) * MOST_REDEFLATE_RATIO
  const finals: Candidate[] = []
  for (const candidate of candidates) if (candidate.bytes <= most) finals.push((await candidate.redeflated?.()) ?? candidate)
  const best = smallest(finals)
  const exact = smallest(finals.filter(({ isExact }) => isExact))
  return best && exact && exact.bytes <= mostExactBytes(best.bytes, size) ? exact : best
}

const smallest = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.reduce<Candidate | undefined>((best, other) => (best && best.bytes <= other.bytes ? best : other), undefined)

/** Sink in memory that throws `no_gain` at `limit` bytes. */
export class MemorySink implements Sink {
  readonly pieces: Uint8Array[] = []
  readonly #limit: number
  written = 0

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.written += chunk.length
    if (this.written >= this.#limit) throw noGain()
    this.pieces.push(chunk)
  }

  patch(): void {
    throw new RangeError('a PNG in memory cannot be patched: it is written in order')
  }

  async abort(): Promise<void> {
    this.pieces.length = 0
    this.written = 0
  }
}

/** Whole file in memory. */
export interface FileInMemory {
  readonly pieces: readonly Uint8Array[]
  readonly outcome: Outcome
  /** True if all samples are equal to the upload's. */
  readonly isExact: boolean
  /** Size in bytes of the filtered rows. `undefined`: they must not be deflated again. */
  readonly rowBytes?: number | undefined
}

export function candidateInMemory({ pieces, outcome, isExact, rowBytes }: FileInMemory, options: Options): Candidate {
  return {
    bytes: pieces.reduce((sum, { length }) => sum + length, 0),
    isExact,
    async write(sink) {
      for (const piece of pieces) await sink.write(piece)
      return outcome
    },
    ...(rowBytes !== undefined && {
      async redeflated() {
        const redeflatedPieces = await redeflated(pieces, rowBytes, options)
        return candidateInMemory(
          { isExact, ...(redeflatedPieces ? { pieces: redeflatedPieces, outcome: withRedeflateStep(outcome) } : { pieces, outcome }) },
          options,
        )
      },
    }),
  }
}

const withRedeflateStep = (outcome: Outcome): Outcome =>
  outcome.kind === 'compressed' ? { ...outcome, steps: [...outcome.steps, message('deflated_once_more')] } : outcome

/**
 * Size in bytes of the filtered rows in `layout`. `undefined`: do not deflate them again, because they are many, interlaced, animated, or
 * part of a document, which has many pictures and limited time.
 */
export function rowBytesToRedeflate(
  file: PngFile,
  { bitDepth, colourType }: Layout,
  inOrder: boolean,
  options: Options,
): number | undefined {
  const { width, height } = file.header
  return mayRedeflate(file, inOrder, options) ? rowBytesIfFew({ width, height, bitDepth, colourType }, options.effort) : undefined
}

/** True if the image data may be deflated again. Not for pictures in documents, which are many. */
export const mayRedeflate = ({ header, animated }: PngFile, inOrder: boolean, { inner }: Options): boolean =>
  !animated && (!header.interlaced || inOrder) && inner.depth === 0
