/** Rows of pictures that lossless steps may make, beside those that `rows.ts` opens: one bit a pixel as JBIG2 or Group 4. */
import { PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { type ImageFacts, imageFilter } from './facts.ts'
import { decodeFax } from './fax-decode.ts'
import { decodeJbig2 } from './jbig2.ts'
import { hasExactRows, openRows, type Rows, rowsOf } from './rows.ts'

const MAX_CODED_BYTES = 64 * 1024 * 1024

/** Packed rows of a bilevel picture that this codec has coded. */
export async function bitLines(
  reader: Reader,
  stream: Stream,
  { width, height }: ImageFacts,
  filter: string,
): Promise<Generator<Uint8Array>> {
  const coded = await reader.raw(stream, MAX_CODED_BYTES)
  return (filter === 'JBIG2Decode' ? decodeJbig2 : decodeFax)(coded, width, height)
}

/** Whether `exactRows` reads it. */
export function readsExactly(facts: ImageFacts): boolean {
  const filter = imageFilter(facts)
  return hasExactRows(facts) || (isOneBit(facts) && facts.chain.length === 1 && (filter === 'JBIG2Decode' || filter === 'CCITTFaxDecode'))
}

const isOneBit = ({ bitsPerComponent, components, stencil, decode, colourKey }: ImageFacts) =>
  bitsPerComponent === 1 && components === 1 && !stencil && !decode && !colourKey

/** Throws `PdfSyntax` for damaged data and for kinds that are not read here. */
export async function exactRows(reader: Reader, stream: Stream, facts: ImageFacts): Promise<Rows> {
  if (!readsExactly(facts)) throw new PdfSyntax('image_of_kind_not_compared')
  if (hasExactRows(facts)) return openRows(reader, stream, facts)
  return rowsOf(await bitLines(reader, stream, facts, imageFilter(facts)), facts)
}
