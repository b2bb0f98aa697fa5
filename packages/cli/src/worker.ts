/** Thread that runs the engines. A file that crashes it ends this thread only. */
import type { ExternalFilmCodec } from '../../../src/core/model/external-encoder.ts'
import { compressToNewFile, formats, identify, unpackToNewFile, use, verify } from '../../core/src/index.ts'
import { nodePort } from '../../core/src/pool/node-thread.ts'
import { serve } from '../../core/src/pool/serve.ts'
import type { CommandJobs } from './worker-messages.ts'

serve<CommandJobs>(nodePort(), {
  compress: ({ path, prefix, options }, { onProgress }) =>
    withFilm(path, async (native, lacksFilm) => {
      const settings = { ...options, onProgress, ...(native && { native }) }
      return { ...(await compressToNewFile(path, prefix, settings)), lacksFilm }
    }),
  verify: ({ original, result, receipt, keys }) =>
    withFilm(original, (native) => verify(original, result, receipt, { ...(keys && { keys }), ...(native && { native }) })),
  unpack: ({ path, prefix }) => unpackToNewFile(path, prefix),
  async formats() {
    await addFilm()
    return formats()
  },
})

/** Loads what films and sound need, if the file is one: `@whittle-app/film`, and an installed FFmpeg. */
async function withFilm<T>(path: string, work: (native: ExternalFilmCodec | undefined, lacksFilm: boolean) => Promise<T>): Promise<T> {
  const format = await identify(path)
  if (!format || OWN_FORMATS.has(format.id)) return work(undefined, false)
  if (!(await addFilm())) return work(undefined, true)
  using program = (await import('./ffmpeg.ts')).openFfmpeg()
  return await work(program?.film, false)
}

/** Formats of `@whittle-app/core`. */
const OWN_FORMATS: ReadonlySet<string> = new Set(formats().map(({ id }) => id))

/** Adds the formats of `@whittle-app/film`. @returns false if the package is not installed */
async function addFilm(): Promise<boolean> {
  const loaded = await import('../../film/src/index.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  })
  if (loaded) use(loaded.film)
  return loaded !== undefined
}
