/** `whittle watch FOLDER`: what appears in a folder is compressed, until Ctrl-C. */
import { statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { type CompressFlags, run, shownBy } from './compress.ts'
import { collect, type Job } from './files.ts'
import { existing } from './place.ts'
import { withServer } from './server.ts'
import { Trouble } from './trouble.ts'

const PAUSE_MS = 1000
/** Of the time that looking takes, for folders of very many files. */
const PAUSE_SHARE = 9

/** @returns the exit code, once it is interrupted */
export async function watch(folder: string, flags: CompressFlags & { out: string }): Promise<number> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Trouble('usage', `There is no folder '${folder}'.`)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  return withServer(flags, async (server) => {
    if (!flags.json && !flags.quiet) console.error(`Watching ${folder}; results go to ${flags.out}. Ctrl-C ends it.`)
    const news = new News(folder, flags)
    while (!ending.signal.aborted) {
      const begunMs = performance.now()
      const jobs = news.look()
      const pauseMs = Math.max(PAUSE_MS, (performance.now() - begunMs) * PAUSE_SHARE)
      if (jobs.length > 0) {
        const { journal, interrupted } = await run(server, jobs, flags, shownBy(flags, jobs))
        if (interrupted) return 0
        journal.close()
      }
      await pause(pauseMs, ending.signal)
    }
    return 0
  })
}

/** Files whose results are not there, once nobody writes to them any more. */
class News {
  readonly #folder: string
  readonly #flags: CompressFlags & { out: string }
  /** Size and time when they were last seen, and of those that were taken. */
  #seen = new Map<string, string>()
  readonly #taken = new Map<string, string>()

  constructor(folder: string, flags: CompressFlags & { out: string }) {
    this.#folder = folder
    this.#flags = flags
  }

  look(): Job[] {
    const { out, hidden, ignore, format } = this.#flags
    const { jobs } = collect([this.#folder], { kind: 'folder', folder: out }, { hidden: hidden === true, ignored: !ignore })
    const seen = new Map(jobs.map((job) => [job.path, `${job.size} ${statSync(job.path, { throwIfNoEntry: false })?.mtimeMs}`]))
    const settled = jobs.filter(
      ({ path, size }) => size > 0 && seen.get(path) === this.#seen.get(path) && seen.get(path) !== this.#taken.get(path),
    )
    this.#seen = seen
    const fresh = settled.filter((job) => this.#taken.has(job.path) || this.#flags.force || existing(job, format) === undefined)
    for (const { path } of settled) this.#taken.set(path, seen.get(path)!)
    return fresh
  }
}

const pause = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal }).catch(() => undefined)
