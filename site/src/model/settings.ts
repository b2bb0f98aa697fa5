/** Options: those of all files, those of one file, and what fits the files. */
import { FACTS, formatFacts } from './facts.ts'
import type { FormatId, Settings } from './protocol.ts'

export const DEFAULTS: Settings = { quality: 'medium', metadata: 'keep' }

/** Outputs that wrap any file and keep its bytes. */
const WRAPPERS = ['zst', 'br', 'gz']

/** Own options of a file, which take precedence over those of all files. An own `undefined` counts. */
export type Own = { readonly [Name in keyof Settings]?: Settings[Name] | undefined }

/** Options that a file of `format` gets. What the format does not have is left out. */
export function settingsFor(format: FormatId, common: Settings, own: Own): Settings {
  const wanted = { ...common, ...own }
  const { outputs, hasUltra, removesMetadata } = formatFacts(format)
  const output = wanted.output !== undefined && outputs.includes(wanted.output) ? wanted.output : undefined
  // The library packs a file of an unknown type only if it is asked to.
  const isNamed = format === 'data' || output !== outputs[0]
  return {
    quality: wanted.quality === 'ultra' && !hasUltra ? 'low' : (wanted.quality ?? DEFAULTS.quality),
    metadata: removesMetadata ? (wanted.metadata ?? 'keep') : 'keep',
    ...(output !== undefined && isNamed && { output }),
    ...(wanted.targetSize !== undefined && { targetSize: wanted.targetSize }),
  }
}

/** True if metadata should be removed from the file, but its format keeps it. */
export const keepsMetadata = (format: FormatId, common: Settings, own: Own): boolean =>
  ({ ...common, ...own }).metadata !== 'keep' && !formatFacts(format).removesMetadata

/** Text that is equal for equal options. */
export const settingsKey = ({ quality, output = '', targetSize = 0, metadata }: Settings): string =>
  [quality, output, targetSize, metadata].join(' ')

/** Outputs that all formats have, besides the default of each, in the order of the first. */
export function commonOutputs(formats: readonly FormatId[]): string[] {
  const [first, ...others] = [...new Set(formats)]
  if (first === undefined) return []
  const shared = formatFacts(first).outputs.filter((output) => others.every((id) => formatFacts(id).outputs.includes(output)))
  // One format: its default is called "same as the file".
  return others.length === 0 ? shared.filter((output) => output !== formatFacts(first).outputs[0]) : shared
}

/** Title of an output, for example `WebP`. */
export const outputTitle = (output: string): string => FACTS.outputs[output]?.title ?? output

export const isWrapper = (output: string): boolean => WRAPPERS.includes(output)

const UNITS: Readonly<Record<string, number>> = { kB: 1000, MB: 1_000_000 }

/** Bytes of a size that a person wrote. `undefined`: nothing was written. `NaN`: the text is no positive number. */
export function parseTarget(text: string, unit: string): number | undefined {
  const written = text.trim().replace(',', '.')
  if (written === '') return undefined
  const value = /^\d+(\.\d+)?$/.test(written) ? Number(written) : Number.NaN
  return value > 0 ? Math.round(value * (UNITS[unit] ?? 1)) : Number.NaN
}
