/**
 * Rounds documents with embedded HTML. The parser of svgo would drop white space in HTML, so the streaming pass processes them tag by tag.
 */

import { concat } from '../../bytes/concat.ts'
import { findAllowedChanges } from './freedom.ts'
import type { RoundingPrecision } from './rounding-plugins.ts'
import { streamingPass } from './streaming-pass.ts'

/** Returns the text without comments and without white space between elements; see `streamingPass`. */
export function streamingPassText(text: string, decimals: number | undefined, hidingClasses?: ReadonlySet<string>): string {
  // The result is always UTF-8, so the XML declaration of the source is removed.
  const bytes = new TextEncoder().encode(text.replace(/^\ufeff?<\?xml\s[^>]*\?>\s*/, ''))
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(concat([...streamingPass(bytes, decimals, hidingClasses)]))
}

export class StreamingRounder {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Rounds coordinates.
   * @throws CodecError (malformed) if the text is not well-formed
   */
  async round({ decimals }: RoundingPrecision, pause: () => Promise<void>): Promise<string> {
    await pause()
    const { rounding, hidingClasses } = findAllowedChanges(this.#text, { strict: true })
    return streamingPassText(this.#text, rounding ? decimals : undefined, hidingClasses)
  }

  /** Returns the text unchanged, because a second streaming pass removes nothing more. */
  async polish(rounded: string): Promise<string> {
    return rounded
  }
}
