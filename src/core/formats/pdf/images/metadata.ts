/** Removes metadata from the JPEGs of a PDF that are not encoded again. New JPEGs have none. */
import { equalBytes } from '../../../bytes/equal.ts'
import { indexOfBytes } from '../../../bytes/search.ts'
import { KeptMetadata } from '../../../embedded/kept-metadata.ts'
import type { Message } from '../../../i18n/message.ts'
import type { Inner, ReducedFile, Removed } from '../../../model/codec.ts'
import { isCodecError } from '../../../model/error.ts'
import { sumRemoved } from '../../../model/removed.ts'
import { decodeFilter, type Filter, GENERIC_FILTERS, setFilters } from '../filters.ts'
import { Dict, latin1Bytes, nameOf, PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import type { RewrittenStream } from '../recompress.ts'
import type { StreamTransform } from '../rewrite.ts'
import type { StreamVerifier } from '../verify.ts'

/** Largest JPEG that is read. Larger pictures keep their metadata, and the receipt says so. */
const MAX_JPEG_BYTES = 16 * 1024 * 1024
const NAME = 'picture.jpg'
/** Boxes of JPEG 2000 with metadata (ITU-T T.800, annex I.7), as they are written. */
const METADATA_BOXES = ['xml ', 'uuid'].map(latin1Bytes)

export class PictureMetadata {
  #removed: readonly Removed[] = []
  readonly #reader: Reader
  readonly #inner: Inner
  readonly #kept: KeptMetadata

  constructor(reader: Reader, inner: Inner) {
    this.#reader = reader
    this.#inner = inner
    this.#kept = new KeptMetadata(inner)
  }

  /** Items that the pictures lost. */
  get removed(): readonly Removed[] {
    return this.#removed
  }

  /** Steps for pictures that keep their metadata. */
  steps(): Message[] {
    return this.#kept.steps()
  }

  /** Returns a transform that also counts what pictures lose when `encode` encodes them again. */
  readonly counting =
    (encode: StreamTransform): StreamTransform =>
    async (number, stream, chain) => {
      const made = await encode(number, stream, chain)
      if (made && this.#inner.withoutMetadata && chain.at(-1)?.name === 'DCTDecode') this.#count(await this.#reduced(stream, chain))
      return made
    }

  /** Removes the metadata of a JPEG. `undefined`: it has none, or it cannot be removed. */
  readonly transform: StreamTransform = async (_number, stream, chain): Promise<RewrittenStream | undefined> => {
    if (!this.#inner.withoutMetadata || nameOf(await this.#reader.entry(stream.dict, 'Subtype')) !== 'Image') return undefined
    const filter = chain.at(-1)
    if (filter?.name === 'JPXDecode') {
      const bytes = await imageBytes(this.#reader, stream, chain)
      if (!bytes || METADATA_BOXES.some((type) => indexOfBytes(bytes, type) >= 0)) await this.#kept.addUnchanged(NAME, undefined)
    }
    if (filter?.name !== 'DCTDecode') return undefined
    const found = await this.#reduced(stream, chain)
    if (found.kind === 'unknown') await this.#kept.addUnchanged(NAME, undefined)
    if (found.kind !== 'reduced') return undefined
    this.#count(found)
    const dict = new Dict(stream.dict)
    setFilters(dict, [filter])
    // The JPEG may be larger than before if it was also deflated.
    return { dict, data: found.bytes, isShared: true }
  }

  #count(found: ReducedFile): void {
    if (found.kind === 'reduced') this.#removed = sumRemoved([...this.#removed, ...found.removed])
  }

  async #reduced(stream: Stream, chain: readonly Filter[]): Promise<ReducedFile> {
    const bytes = await imageBytes(this.#reader, stream, chain)
    return (bytes && (await this.#inner.withoutMetadata?.(bytes, NAME))) ?? { kind: 'unknown' }
  }
}

/** Returns the bytes of an image before its image filter. `undefined`: they are too many, or damaged. */
async function imageBytes(reader: Reader, stream: Stream, chain: readonly Filter[]): Promise<Uint8Array | undefined> {
  try {
    let bytes = await reader.raw(stream, MAX_JPEG_BYTES)
    for (const filter of chain.slice(0, -1)) {
      if (!GENERIC_FILTERS.has(filter.name)) return undefined
      bytes = decodeFilter(filter, bytes, MAX_JPEG_BYTES)
    }
    return bytes
  } catch (error) {
    if (error instanceof PdfSyntax || isCodecError(error, 'over_budget')) return undefined
    throw error
  }
}

/** Returns a verifier that accepts a JPEG which is the original without its metadata, byte for byte, and otherwise asks `otherwise`. */
export function reducedPictureVerifier(a: Reader, b: Reader, { withoutMetadata }: Inner, otherwise: StreamVerifier): StreamVerifier {
  if (!withoutMetadata) return otherwise
  return async (pair) => {
    const [before, after] = [await a.filters(pair.original), await b.filters(pair.result)]
    if (before.at(-1)?.name !== 'DCTDecode' || after.length !== 1 || after[0]!.name !== 'DCTDecode') return await otherwise(pair)
    const bytes = await imageBytes(a, pair.original, before)
    const expected = bytes && (await withoutMetadata(bytes, NAME))
    const isExpected = expected?.kind === 'reduced' && equalBytes(expected.bytes, await b.raw(pair.result, MAX_JPEG_BYTES))
    return isExpected ? undefined : await otherwise(pair)
  }
}
