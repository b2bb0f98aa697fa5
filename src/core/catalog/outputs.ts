/** Possible outputs: all input formats, and the rows of `output-table.ts`. */
import type { Format } from './format.ts'
import { FORMATS, type FormatId } from './index.ts'
import { type OtherOutput, type OtherPicture, OUTPUT_ONLY_FORMATS, type Output, PICTURE_FACTS, type PictureFacts } from './output-table.ts'

export type { Output, PictureFacts } from './output-table.ts'

/** Output id: an input format, or another output. */
export type OutputId = FormatId | OtherOutput

/** Outputs that still pictures are converted to. Tables of encoders, decoders and engines must list all of them, or do not compile. */
export type PictureOutput = 'jpg' | 'png' | OtherPicture

/** Returns the picture properties of an output by name. `undefined`: JPEG, PNG, or an output that no picture is converted to. */
export const pictureFacts = (output: string): PictureFacts | undefined => {
  const facts: { readonly [id: string]: PictureFacts } = PICTURE_FACTS
  return facts[output]
}

/** A supported format of the catalogue. */
export interface KnownFormat extends Format {
  readonly id: FormatId
  readonly outputs: readonly [OutputId, ...OutputId[]]
}

/** Returns the properties of an output. For an input format, they are taken from the format itself. */
export function outputFacts(id: OutputId): Output {
  if (id in OUTPUT_ONLY_FORMATS) return OUTPUT_ONLY_FORMATS[id as OtherOutput]
  const format: Format = FORMATS[id as FormatId]
  const picture = pictureFacts(id)
  return {
    title: format.title,
    extension: format.id,
    mediaType: format.mimeTypes[0],
    aliases: format.extensions.filter((name) => name !== format.id),
    wraps: false,
    ...(format.holds ? { holds: format.holds } : {}),
    ...(picture ? { picture } : {}),
  }
}

/** True if a file of `format` can be rebuilt byte for byte from each result as `output`, which is a picture by itself. */
export const holdsFile = (format: FormatId, output: OutputId): boolean => outputFacts(output).holdsFilesOf?.includes(format) === true

/**
 * Returns the output of `format` with a name: an output id, extension or alias, in any case, with or without a leading dot.
 * `undefined`: the format has no such output.
 */
export function outputNamed(format: KnownFormat, wanted: string): OutputId | undefined {
  const name = wanted.trim().toLowerCase().replace(/^\./, '')
  return format.outputs.find((output) => output === name) ?? format.outputs.find((output) => outputFacts(output).aliases.includes(name))
}

/**
 * Returns the format whose codec makes `wanted` of a file. Formats that exist on request only are packed as data. `undefined`: the caller
 * must name an output.
 */
export function formatFor(found: KnownFormat, wanted: string | undefined): KnownFormat | undefined {
  if (!found.isOnRequest) return found
  if (wanted === undefined) return undefined
  return outputNamed(FORMATS.data, wanted) ? FORMATS.data : found
}

/** True if no result of a format as `output` loses anything. */
export const isLosslessAs = ({ fidelity, lossyOutputs }: KnownFormat, output: OutputId): boolean =>
  fidelity === 'lossless' || (lossyOutputs !== undefined && !lossyOutputs.includes(output))

/** Outputs that callers can request by name, without duplicates, in catalogue order. */
export const REQUESTABLE_OUTPUTS: readonly OutputId[] = [
  ...new Set(
    Object.values(FORMATS).flatMap((format: Format) => format.outputs.filter((id) => id !== format.id || format.outputs.length > 1)),
  ),
] as OutputId[]

/** True if the effort can change the results of a format, or their packed form (`zst`, `br`, `gz`). */
export const dependsOnEffort = ({ hasEfforts, outputs }: Pick<KnownFormat, 'hasEfforts' | 'outputs'>): boolean =>
  hasEfforts === true || PACKED.some((output) => outputs.includes(output))

const PACKED: readonly OutputId[] = ['zst', 'br', 'gz']
