/** Worker thread that runs the engines. A file that crashes it ends this thread only. */
import { parentPort } from 'node:worker_threads'
import type { ExternalFilmCodec } from '../../../src/core/model/external-encoder.ts'
import { compressToNewFile, type FormatInfo, formats, identify, type TargetUnreachable, use, verify } from '../../core/src/index.ts'
import type { Answer, Compressed, CompressJob, Job, VerifyJob } from './worker-messages.ts'

const port = parentPort!
const answer = (message: Answer) => port.postMessage(message)
/** Smallest step of progress that is reported. */
const STEP = 0.01

port.on('message', (job: Job) => void run(job))

async function run(job: Job): Promise<void> {
  try {
    if (job.kind === 'compress') answer({ kind: 'compressed', value: await compress(job) })
    else if (job.kind === 'verify') answer({ kind: 'verified', value: await check(job) })
    else answer({ kind: 'formats', value: await allFormats() })
  } catch (error) {
    answer({ kind: 'failed', message: messageOf(error), isExpected: isExpected(error) })
  }
}

async function compress({ path, prefix, options }: CompressJob): Promise<Compressed> {
  let reported = 0
  const onProgress = (share: number) => {
    if (share < reported + STEP) return
    reported = share
    answer({ kind: 'progress', share })
  }
  return await withFilm(path, async (native, lacksFilm) => {
    const settings = { ...options, onProgress, ...(native && { native }) }
    return { ...(await compressToNewFile(path, prefix, settings)), lacksFilm }
  })
}

const check = ({ original, result, receipt, keys }: VerifyJob) =>
  withFilm(original, (native) => verify(original, result, receipt, { ...(keys && { keys }), ...(native && { native }) }))

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

async function allFormats(): Promise<readonly FormatInfo[]> {
  await addFilm()
  return formats()
}

function messageOf(error: unknown): string {
  // A film library has its own class of this error.
  if (error instanceof Error && error.name === 'TargetUnreachable') {
    const { bestSize } = error as TargetUnreachable
    return `No result of at least the minimum quality fits into the target size. The smallest one has ${bestSize} bytes.`
  }
  return error instanceof Error ? error.message : String(error)
}

const isExpected = (error: unknown) =>
  error instanceof RangeError || (error instanceof Error && (error.name === 'TargetUnreachable' || 'code' in error))
