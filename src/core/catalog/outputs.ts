/** What may come out: the formats that come in, and the rows of `output-table.ts`. */
import type { Format } from './format.ts'
import { FORMATS, type FormatId } from './index.ts'
import { OTHER_OUTPUTS, type OtherOutput, type OtherPicture, type Output, type PictureFacts } from './output-table.ts'

export type { Output, PictureFacts } from './output-table.ts'

/** Formats as they go out: the container that came in, or one of the others. */
export type OutputId = FormatId | OtherOutput

/** What pictures are converted to; lists of encoders, decoders and engines do not compile without all of them. */
export type PictureOutput = 'jpg' | 'png' | OtherPicture

/** Of an output by name; undefined for formats that come out as themselves, which are none of these. */
export const pictureFacts = (output: string): PictureFacts | undefined => {
  const others: { readonly [id: string]: Output } = OTHER_OUTPUTS
  return others[output]?.picture
}

/** A format of the list. */
export interface KnownFormat extends Format {
  readonly id: FormatId
  readonly outputs: readonly [OutputId, ...OutputId[]]
}

/** The facts of an output; a format that comes out is served as what it is when it comes in. */
export function outputFacts(id: OutputId): Output {
  if (id in OTHER_OUTPUTS) return OTHER_OUTPUTS[id as OtherOutput]
  const format: Format = FORMATS[id as FormatId]
  return {
    title: format.title,
    extension: format.id,
    mediaType: format.mimeTypes[0],
    aliases: format.extensions.filter((name) => name !== format.id),
    wraps: false,
    ...(format.holds ? { holds: format.holds } : {}),
  }
}

/** Outputs that somebody may ask for by name, each once, in the order in which formats offer them. */
export const REQUESTABLE: readonly OutputId[] = [
  ...new Set(
    Object.values(FORMATS).flatMap((format: Format) => format.outputs.filter((id) => id !== format.id || format.outputs.length > 1)),
  ),
] as OutputId[]
