/**
 * Whittle as a library: makes files smaller and proves that nothing was lost.
 *
 * ```ts
 * const { result, receipt } = await compress(await readFile('photo.jpg'), { quality: 'medium', name: 'photo.jpg' })
 * receipt.result.outcome // 'compressed'; result is a Source: `for await (const chunk of result.stream()) …`
 * ```
 *
 * The codecs here are free of GPL code. Films and sound have codecs of their own: `libraryOf({ ...PRESS_CODECS, ...MEDIA_CODECS })`.
 */
import { FORMATS } from './catalog/index.ts'
import type { KnownFormat } from './catalog/outputs.ts'
import { PRESS_CODECS } from './formats/press.ts'
import { type Input, libraryOf, sourceOf } from './library.ts'
import { identify as identifySource } from './pipeline/identify.ts'

export type { Checked } from './audit/check.ts'
export type { KnownFormat, OutputId } from './catalog/outputs.ts'
export { PRESS_CODECS } from './formats/press.ts'
export { type Compressed, type CompressOptions, type Input, type Library, libraryOf, type Receipt } from './library.ts'
export type { Quality, Sink, Source } from './model/codec.ts'
export { CodecError, TargetUnreachable } from './model/error.ts'
export { memorySource, readAll } from './model/source.ts'

export const { compress, verify } = libraryOf(PRESS_CODECS)

/** The format of a file by its bytes; its name only breaks ties. `undefined`: no supported format recognises it. */
export const identify = async (input: Input, name?: string): Promise<KnownFormat | undefined> => identifySource(await sourceOf(input, name))

/** All formats with their outputs, levels and limits. */
export const formats = (): readonly KnownFormat[] => Object.values(FORMATS)
