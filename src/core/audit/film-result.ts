import type { FormatId } from '../catalog/index.ts'
import type { OutputId } from '../catalog/outputs.ts'

/** Formats of films, and M4A, which the film codecs compress. */
export const FILMS: ReadonlySet<OutputId> = new Set(['mp4', 'm4a', 'mov', 'avi', 'mkv', 'webm', 'ts', 'flv'])

/** True if the film codecs make the result, which is a film or an M4A file. */
export const isFilmResult = (format: FormatId, output: OutputId): boolean => FILMS.has(format) && FILMS.has(output)
