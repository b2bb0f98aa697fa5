/** Roundings of documents with HTML inside, whose white space svgo's parser drops: tag by tag, as for large ones. */

import { freedomOf } from './freedom.ts'
import type { Grain } from './rounding-plugins.ts'
import { leanSvg } from './streaming-pass.ts'

/** The text without comments and white space between elements; see `leanSvg`. */
export function leanText(text: string, decimals: number | undefined, hidingClasses?: ReadonlySet<string>): string {
  // The result is UTF-8, whatever the upload was.
  const bytes = new TextEncoder().encode(text.replace(/^\ufeff?<\?xml\s[^>]*\?>\s*/, ''))
  return Buffer.concat([...leanSvg(bytes, decimals, hidingClasses)]).toString('utf8')
}

export class LeanRounder {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** @throws CodecError (malformed) when the text is not well-formed */
  async round({ decimals }: Grain, pause: () => Promise<void>): Promise<string> {
    await pause()
    const { rounding, hidingClasses } = freedomOf(this.#text, { strict: true })
    return leanText(this.#text, rounding ? decimals : undefined, hidingClasses)
  }

  /** It is as short as it gets. */
  async polish(rounded: string): Promise<string> {
    return rounded
  }
}
