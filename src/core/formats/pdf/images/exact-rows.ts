/** Decodes pictures that lossless recompression may produce, including JBIG2 and CCITT Group 4 with one bit per pixel. */
import { PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { type ImageFacts, imageFilter } from './facts.ts'
import { decodeFax } from './fax-decode.ts'
import { decodeJbig2 } from './jbig2.ts'
import { hasExactRows, openRows, type Rows, unpackSamples } from './rows.ts'

const MAX_CODED_BYTES = 64 * 1024 * 1024

/** Yields the packed rows of a JBIG2 or CCITT Group 4 picture written by Whittle. */
export async function decodeBilevelRows(
  reader: Reader,
  stream: Stream,
  { width, height }: ImageFacts,
  filter: string,
): Promise<Generator<Uint8Array>> {
  const coded = await reader.raw(stream, MAX_CODED_BYTES)
  return (filter === 'JBIG2Decode' ? decodeJbig2 : decodeFax)(coded, width, height)
}

/** True if `decodeExactRows` supports this picture. */
export function canDecodeExactRows(facts: ImageFacts): boolean {
  const filter = imageFilter(facts)
  return hasExactRows(facts) || (isOneBit(facts) && facts.chain.length === 1 && (filter === 'JBIG2Decode' || filter === 'CCITTFaxDecode'))
}

const isOneBit = ({ bitsPerComponent, components, stencil, decode, colourKey }: ImageFacts) =>
  bitsPerComponent === 1 && components === 1 && !stencil && !decode && !colourKey

/**
 * Decodes a picture into rows.
 * @throws PdfSyntax if the data is damaged or of an unsupported kind.
 */
export async function decodeExactRows(reader: Reader, stream: Stream, facts: ImageFacts): Promise<Rows> {
  if (!canDecodeExactRows(facts)) throw new PdfSyntax('image_of_kind_not_compared')
  if (hasExactRows(facts)) return openRows(reader, stream, facts)
  return unpackSamples(await decodeBilevelRows(reader, stream, facts, imageFilter(facts)), facts)
}
