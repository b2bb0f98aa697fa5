/** Results that are compared before one of them is written. */

import type { Layout } from '../../../../wasm/png/engine.ts'
import { mostExactBytes } from '../../catalog/small-pictures.ts'
import { message } from '../../i18n/message.ts'
import { redeflated, rowBytesIfFew } from '../../images/png/redeflate.ts'
import type { Options, Outcome, Sink } from '../../model/codec.ts'
import { noGain } from '../../model/error.ts'
import type { PngFile } from './file.ts'
import { MOST_WON } from './tuning.ts'

export interface Candidate {
  /** Of the whole file. */
  readonly bytes: number
  /** True if no sample differs from the upload's. */
  readonly isExact: boolean
  write(sink: Sink): Promise<Outcome>
  /** The same with its rows deflated once more, optimally, where they are few. */
  redeflated?(): Promise<Candidate>
}

/**
 * The smallest candidate, after all that come close were deflated once more. Of equals the first. A small picture keeps all its colours
 * unless a lossy candidate saves enough (`mostExactBytes`).
 */
export async function smallestOf(
  candidates: readonly Candidate[],
  size: { readonly width: number; readonly height: number },
): Promise<Candidate | undefined> {
  const least = smallest(candidates)
  if (!least) return undefined
  const most = mostExactBytes(least.bytes, size) * MOST_WON
  const finals: Candidate[] = []
  for (const candidate of candidates) if (candidate.bytes <= most) finals.push((await candidate.redeflated?.()) ?? candidate)
  const best = smallest(finals)
  const exact = smallest(finals.filter(({ isExact }) => isExact))
  return best && exact && exact.bytes <= mostExactBytes(best.bytes, size) ? exact : best
}

const smallest = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.reduce<Candidate | undefined>((best, other) => (best && best.bytes <= other.bytes ? best : other), undefined)

/** A sink in memory that gives up at `limit` bytes. */
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
    throw new RangeError('PNG is written in order')
  }

  async abort(): Promise<void> {
    this.pieces.length = 0
    this.written = 0
  }
}

/** A whole file. */
export interface FileInMemory {
  readonly pieces: readonly Uint8Array[]
  readonly outcome: Outcome
  /** True if no sample differs from the upload's. */
  readonly isExact: boolean
  /** Of its rows with their filters, where they may be deflated once more. */
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
        const again = await redeflated(pieces, rowBytes, options.signal)
        return candidateInMemory({ isExact, ...(again ? { pieces: again, outcome: saidAgain(outcome) } : { pieces, outcome }) }, options)
      },
    }),
  }
}

const saidAgain = (outcome: Outcome): Outcome =>
  outcome.kind === 'compressed' ? { ...outcome, steps: [...outcome.steps, message('deflated_once_more')] } : outcome

/**
 * Of rows in `layout` with their filters, where they are deflated once more: of one picture without passes, that is few, and no part of a
 * document, of which there are many, and whose time is counted.
 */
export function rowBytesToRedeflate(
  { header, animated }: PngFile,
  layout: Layout,
  inOrder: boolean,
  { inner }: Options,
): number | undefined {
  if (animated || (header.interlaced && !inOrder) || inner.depth > 0) return undefined
  return rowBytesIfFew({ width: header.width, height: header.height, bitDepth: layout.bitDepth, colourType: layout.colourType })
}
