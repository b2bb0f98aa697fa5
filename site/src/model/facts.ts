/** Facts of the catalogue that the page needs, without the library. `site/facts.ts` collects them when the page is built. */
import type { FormatId, Quality, Receipt } from './protocol.ts'

export interface FormatFacts {
  readonly title: string
  readonly family: string
  /** File extensions without the dot. The first is the usual one. */
  readonly extensions: readonly string[]
  /** Possible outputs. The first is the default. */
  readonly outputs: readonly string[]
  /** True if this page has the codec. Otherwise only the service does. */
  readonly isHere: boolean
  /** True if its files are only compressed when an output is named. */
  readonly isOnRequest: boolean
  /** True if the levels give different results. */
  readonly hasLevels: boolean
  /** True if the level `ultra` exists. */
  readonly hasUltra: boolean
  /** True if its metadata can be removed. */
  readonly removesMetadata: boolean
}

/** Least figures of a level. */
export interface Goal {
  /** SSIMULACRA 2 score. */
  readonly score: number
  readonly ssim: number
  readonly psnrDb: number
}

export interface SiteFacts {
  readonly formats: { readonly [Id in FormatId]: FormatFacts }
  /** Names of the outputs by id. */
  readonly outputs: Readonly<Record<string, { readonly title: string; readonly extension: string; readonly wraps: boolean }>>
  /** Least figures of JPEG, WebP and AVIF by level. */
  readonly goals: { readonly [level in Exclude<Quality, 'ultra'>]: Goal }
  /** Quality floors of every lossy picture. */
  readonly floors: { readonly ssim: number; readonly psnrDb: number; readonly snrDb: number }
  /** Receipt of the example on the front page. A test compares it with what the library measures. */
  readonly example: Receipt
  /** Sizes in bytes of the files that visitors can try. */
  readonly samples: { readonly photo: number; readonly screenshot: number }
}

declare const SITE_FACTS: SiteFacts

/** The bundler replaces this constant. */
export const FACTS: SiteFacts = SITE_FACTS

export const formatFacts = (id: FormatId): FormatFacts => FACTS.formats[id]
