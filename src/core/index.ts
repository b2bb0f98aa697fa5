/**
 * Whittle as a library. It makes files smaller and checks that every result keeps its promises.
 *
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * const input = await readFile('photo.jpg')
 * const { result, receipt } = await compress(input, { quality: 'medium', name: 'photo.jpg' })
 * if (receipt.result.outcome === 'compressed') for await (const chunk of result.stream()) output.write(chunk)
 * const { findings } = await verify(input, result, receipt)
 * ```
 *
 * `compress` and `verify` of this module use codecs without GPL code. For video and audio, add `MEDIA_CODECS` of `formats/media.ts`:
 * `libraryOf({ ...PRESS_CODECS, ...MEDIA_CODECS })`.
 */
import { FORMATS } from './catalog/index.ts'
import type { KnownFormat } from './catalog/outputs.ts'
import { LAZY_PRESS_CODECS } from './formats/lazy-press.ts'
import { type Input, libraryOf, sourceOf } from './library.ts'
import { identify as identifySource } from './pipeline/identify.ts'

export { type EngineSources, loadEngines, useEngines } from '../../wasm/loading/engine-files.ts'
export type { VerifyReport } from './audit/check.ts'
export type { KnownFormat, OutputId } from './catalog/outputs.ts'
export { LAZY_PRESS_CODECS as PRESS_CODECS } from './formats/lazy-press.ts'
export { type Compressed, type CompressOptions, type Input, type Library, libraryOf, type Receipt } from './library.ts'
export type { Quality, Sink, Source } from './model/codec.ts'
export { CodecError, TargetUnreachable } from './model/error.ts'
export { memorySource, readAll } from './model/source.ts'

/** `compress` and `verify` of {@link Library}, over the codecs without GPL code: every format except video and audio. */
export const { compress, verify } = libraryOf(LAZY_PRESS_CODECS)

/**
 * Returns the format of a file. The bytes decide; the name only breaks ties between similar formats.
 *
 * ```ts
 * const format = await identify(await readFile('scan.tif'), 'scan.tif')
 * format?.id // 'tiff'
 * ```
 *
 * @param input file to identify; a stream is read into memory
 * @param name file name; default: the name of a `File` or `Source`, otherwise none
 * @returns the format, or `undefined` if no supported format recognises the file
 */
export const identify = async (input: Input, name?: string): Promise<KnownFormat | undefined> => identifySource(await sourceOf(input, name))

/**
 * Returns all supported formats, each with its outputs, levels and limits.
 *
 * ```ts
 * formats().find(({ id }) => id === 'png')?.outputs // includes 'png', 'webp' and 'avif'
 * ```
 */
export const formats = (): readonly KnownFormat[] => Object.values(FORMATS)
