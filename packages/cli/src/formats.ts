/** Formats that this package compresses, with films and sound if `@whittle-app/film` is installed. */
import { type FormatInfo, formats as knownFormats, use } from '../../core/src/index.ts'

/** Adds the formats of `@whittle-app/film`. @returns false if the package is not installed */
export async function addFilm(): Promise<boolean> {
  const loaded = await import('../../film/src/index.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  })
  if (loaded) use(loaded.film)
  return loaded !== undefined
}

export async function formats(): Promise<readonly FormatInfo[]> {
  await addFilm()
  return knownFormats()
}
