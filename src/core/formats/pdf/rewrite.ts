/** Writes every reachable object once, breadth first from the catalog, and recompresses each stream. */

import { hex } from '../../bytes/hex.ts'
import { latin1Bytes } from '../../bytes/latin1.ts'
import { digestOf } from '../../bytes/platform/hashes.ts'
import type { Effort } from '../../catalog/effort.ts'
import { isCodecError } from '../../model/error.ts'
import { isPrivateApplicationData } from './droppable-entries.ts'
import type { Duplicates } from './duplicates.ts'
import type { Filter } from './filters.ts'
import { sortByFilePosition } from './object-head-index.ts'
import { Dict, type PdfObject, PdfSyntax, Ref, Stream } from './objects.ts'
import { ObjectNumberList, type ReachableObjects, TRAILER_KEYS } from './reachable-objects.ts'
import type { Reader } from './reader.ts'
import { DeflateEffort, type RewrittenStream, recompress } from './recompress.ts'
import { serialise } from './serialise.ts'
import { HOIST_CHARACTERS } from './tuning.ts'
import type { Writer } from './writer.ts'

/** Recompresses one stream. `undefined`: no gain. Failures with `PdfSyntax` or `over_budget` count as no gain. */
export type StreamTransform = (number: number, stream: Stream, chain: Filter[]) => Promise<RewrittenStream | undefined>

export interface RewritePlan {
  reachable: ReachableObjects
  duplicates: Duplicates
  keepEntry: (dict: Dict, key: string) => boolean
  /** Returns a dictionary as it must be written, with names or keys that a transform changed. `undefined`: dictionaries are written unchanged. */
  adapt?: (dict: Dict) => Dict
  /** Transforms, tried in this order before lossless recompression. */
  transforms: readonly StreamTransform[]
  /** Object numbers of streams that are copied unchanged; `'all'` copies every stream. */
  verbatim: ReadonlySet<number> | 'all'
  /** How long lossless recompression may take. Default: `balanced`. */
  effort?: Effort
  signal: AbortSignal
  progress(share: number): void
}

const MAX_HOISTED = 50_000

export class Rewriter {
  protected readonly reader: Reader
  private readonly writer: Writer
  protected readonly plan: RewritePlan
  protected numbers: Uint32Array
  private readonly queue = new ObjectNumberList()
  private readonly hoisted = new Map<string, number>()
  private readonly effort: DeflateEffort
  private doneBytes = 0
  /** Number of omitted private entries of other applications. */
  removedPrivateEntries = 0

  constructor(reader: Reader, writer: Writer, plan: RewritePlan) {
    this.reader = reader
    this.writer = writer
    this.plan = plan
    this.effort = new DeflateEffort(plan.effort)
    this.numbers = new Uint32Array(reader.xref.size)
  }

  async run(): Promise<void> {
    const { reader, writer, plan } = this
    await writer.begin(reader.version)
    const trailer = new Dict()
    for (const key of TRAILER_KEYS) {
      const value = reader.trailer.get(key)
      if (value === undefined || value === null) continue
      trailer.set(key, value)
      if (value instanceof Ref) this.refText(value)
    }
    for (let done = 0; done < this.queue.length; ) {
      const generation = this.queue.from(done)
      done += generation.length
      for (const number of reader.readsInFileOrder ? sortByFilePosition(reader.xref, generation) : generation) {
        plan.signal.throwIfAborted()
        const object = await reader.get(number)
        if (object instanceof Stream) await this.stream(number, object)
        else await writer.object(this.numbers[number]!, this.kept(object), this.refText)
      }
    }
    await writer.end(trailer, this.refText)
  }

  /** Returns a reference with the new object number, which is assigned at the first use. References to unused objects become null. */
  protected readonly refText = (ref: Ref): string => {
    if (ref instanceof Hoisted) return `${ref.number} 0 R`
    const number = this.plan.duplicates.originalOf(ref.number)
    if (!this.plan.reachable.used[number]) return 'null'
    if (this.numbers[number] === 0) {
      this.numbers[number] = this.writer.allocate()
      this.queue.push(number)
    }
    return `${this.numbers[number]} 0 R`
  }

  protected kept(object: PdfObject): PdfObject {
    if (!(object instanceof Dict)) return object
    const dict = this.plan.adapt?.(object) ?? object
    if ([...dict.keys()].every((key) => this.plan.keepEntry(dict, key))) return dict
    const rest = new Dict([...dict].filter(([key]) => this.plan.keepEntry(dict, key)))
    for (const key of dict.keys()) if (isPrivateApplicationData(key) && !rest.has(key)) this.removedPrivateEntries++
    return rest
  }

  protected async stream(number: number, stream: Stream): Promise<void> {
    const { reader, writer, plan } = this
    const length = await reader.length(stream)
    const smallerStream =
      plan.verbatim === 'all' || plan.verbatim.has(number) ? undefined : await this.smallerStream(number, stream, length)
    const dict = await this.hoist(this.kept(smallerStream?.dict ?? stream.dict) as Dict)
    dict.delete('Length')
    await writer.stream(this.numbers[number]!, dict, smallerStream?.data ?? { length, pieces: reader.pieces(stream) }, this.refText)
    this.doneBytes += length
    plan.progress(plan.reachable.streamBytes ? this.doneBytes / plan.reachable.streamBytes : 1)
  }

  private async smallerStream(number: number, stream: Stream, length: number): Promise<RewrittenStream | undefined> {
    try {
      const chain = await this.reader.filters(stream)
      for (const transform of this.plan.transforms) {
        const rewritten = await transform(number, stream, chain).catch(declined)
        if (rewritten && (rewritten.isShared || rewritten.data.length < length)) return rewritten
      }
      return await recompress(this.reader, stream, chain, this.effort)
    } catch (error) {
      return declined(error)
    }
  }

  /** Moves long direct values of a stream dictionary into separate objects, where they are compressed. Equal values share one object. */
  protected async hoist(original: Dict): Promise<Dict> {
    const dict = new Dict(original)
    if (!this.writer.compact) return dict
    for (const [key, value] of original) {
      if (!(value instanceof Dict || Array.isArray(value)) || key === 'Filter' || key === 'DecodeParms') continue
      const text = serialise(value, this.refText)
      if (text.length < HOIST_CHARACTERS) continue
      const hash = hex(digestOf('sha1', latin1Bytes(text)))
      let number = this.hoisted.get(hash)
      if (number === undefined) {
        number = this.writer.allocate()
        if (this.hoisted.size < MAX_HOISTED) this.hoisted.set(hash, number)
        await this.writer.object(number, value, this.refText)
      }
      dict.set(key, new Hoisted(number))
    }
    return dict
  }
}

/** Reference that already has its new object number. */
class Hoisted extends Ref {
  constructor(number: number) {
    super(number, 0)
  }
}

function declined(error: unknown): undefined {
  if (isCodecError(error, 'over_budget') || error instanceof PdfSyntax || error instanceof RangeError) return undefined
  throw error
}
