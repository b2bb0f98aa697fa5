import { FIRST, LAST, NO_GRANULE } from '../../containers/ogg/page.ts'
import type { Source } from '../../model/codec.ts'
import type { LogicalStream } from './logical-stream.ts'
import { eventsOf, type OggEvent } from './read-streams.ts'

/** Part of a packet. */
export interface PieceStep {
  readonly kind: 'piece'
  readonly stream: LogicalStream
  readonly bytes: Uint8Array
  readonly ends: boolean
  /** Position that the page tells for the end of this packet. `undefined`: it tells none. */
  readonly told: bigint | undefined
  /** Position by the samples of the packets since the last position that a page told. `undefined`: not known. */
  readonly counted: bigint | undefined
  /** True if both positions of the page are equal. */
  readonly isRegular: boolean
}

/** Content of an Ogg file, independent of its pages. */
export type Step =
  | PieceStep
  | { readonly kind: 'first' | 'headers'; readonly stream: LogicalStream; readonly packets: readonly Uint8Array[] }
  /** End of a stream, with its last position. */
  | { readonly kind: 'start' | 'end'; readonly stream: LogicalStream; readonly position: bigint }

/** Yields the content of a file. `onPage` receives the offset of each page of sound. */
export async function* stepsOf(source: Source, signal: AbortSignal, onPage: (offset: number) => void): AsyncGenerator<Step, void> {
  const positions = new WeakMap<LogicalStream, bigint>()
  for await (const event of eventsOf(source, signal)) {
    const { stream } = event
    if (event.kind === 'first') yield { kind: 'first', stream, packets: [stream.first] }
    else if (event.kind === 'headers') {
      yield { kind: 'headers', stream, packets: event.packets }
      if (event.isLast) yield { kind: 'end', stream, position: 0n }
    } else {
      const { page } = event
      onPage(page.offset)
      if (page.flags & FIRST) yield { kind: 'start', stream, position: 0n }
      yield* piecesOf(event)
      if (page.granule !== NO_GRANULE) positions.set(stream, page.granule)
      if (page.flags & LAST) yield { kind: 'end', stream, position: positions.get(stream) ?? 0n }
    }
  }
}

function* piecesOf({ stream, page, pieces, isRegular }: Extract<OggEvent, { kind: 'data' }>): Generator<PieceStep> {
  const lastEnd = pieces.findLastIndex(({ ends }) => ends)
  for (const [i, { from, to, ends, granule: counted }] of pieces.entries()) {
    const told = i === lastEnd && page.granule !== NO_GRANULE ? page.granule : undefined
    yield { kind: 'piece', stream, bytes: page.body.subarray(from, to), ends, told, counted, isRegular }
  }
}
