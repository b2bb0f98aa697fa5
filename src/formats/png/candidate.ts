/** Results that are compared before one of them is written. */

import type { Layout } from '../../../wasm/png/engine.ts'
import type { Options, Outcome, Sink } from '../../codec/codec.ts'
import { noGain } from '../../codec/error.ts'
import { deflatedAgain, fewRowBytes } from '../../raster/png-again.ts'
import type { PngFile } from './file.ts'

export interface Candidate {
  /** Of the whole file. */
  readonly bytes: number
  write(sink: Sink): Promise<Outcome>
  /** The same with its rows deflated once more, optimally, where they are few. */
  again?(): Promise<Candidate>
}

/** Deflated once more, rows win some hundredths, and a fifth now and then: what is larger by more cannot become the smallest. */
const MOST_WON = 1.3

/** The smallest, all that might be deflated once more; of equals the first. */
export async function smallestOf(candidates: readonly Candidate[]): Promise<Candidate | undefined> {
  let least: Candidate | undefined
  for (const candidate of candidates) if (!least || candidate.bytes < least.bytes) least = candidate
  if (!least) return undefined
  const most = least.bytes * MOST_WON
  let best: Candidate | undefined
  for (const candidate of candidates) {
    if (candidate.bytes > most) continue
    const final = (await candidate.again?.()) ?? candidate
    if (!best || final.bytes < best.bytes) best = final
  }
  return best
}

/** A sink in memory that gives up at `limit` bytes. */
export class HeldSink implements Sink {
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
export interface Held {
  readonly pieces: readonly Uint8Array[]
  readonly outcome: Outcome
  /** Of its rows with their filters, where they may be deflated once more. */
  readonly rowBytes?: number | undefined
}

export function heldCandidate({ pieces, outcome, rowBytes }: Held, options: Options): Candidate {
  return {
    bytes: pieces.reduce((sum, { length }) => sum + length, 0),
    async write(sink) {
      for (const piece of pieces) await sink.write(piece)
      return outcome
    },
    ...(rowBytes !== undefined && {
      async again() {
        const again = await deflatedAgain(pieces, rowBytes, options.signal)
        return heldCandidate(again ? { pieces: again, outcome: saidAgain(outcome) } : { pieces, outcome }, options)
      },
    }),
  }
}

const saidAgain = (outcome: Outcome): Outcome =>
  outcome.kind === 'compressed' ? { ...outcome, steps: [...outcome.steps, 'deflated once more, parsed optimally'] } : outcome

/**
 * Of rows in `layout` with their filters, where they are deflated once more: of one picture without passes, that is few, and no part of a
 * document, of which there are many, and whose time is counted.
 */
export function rowBytesToDeflateAgain(
  { header, animated }: PngFile,
  layout: Layout,
  inOrder: boolean,
  { inner }: Options,
): number | undefined {
  if (animated || (header.interlaced && !inOrder) || inner.depth > 0) return undefined
  return fewRowBytes({ width: header.width, height: header.height, bitDepth: layout.bitDepth, colourType: layout.colourType })
}
