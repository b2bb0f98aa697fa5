import { MEDIA_CODECS } from '../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import { pressFile } from './press-file.ts'
import type { Repeated } from './repeated.ts'

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }

/** Returns a job that compresses a generated file at medium, with the codecs of all formats for embedded files. */
export async function repeatedJob({ format, output, make }: Repeated, times: number): Promise<() => Promise<unknown>> {
  const codec = CODECS[format]!
  const bytes = await make(times)
  return () => pressFile(codec, bytes, 'a', { output, lent: CODECS })
}
