/** `whittle FILES` and `whittle -`. */
import { Client, type Wishes } from './client.ts'
import type { Server } from './config.ts'
import { collect, type Job } from './files.ts'
import { Journal } from './journal.ts'
import { fromStdin, type Piped } from './pipe.ts'
import { pressAll, type Report, type Watcher } from './press.ts'
import { withServer } from './server.ts'
import { sum, watcher } from './show.ts'
import { Trouble } from './trouble.ts'

export interface CompressFlags {
  server?: string
  key?: string
  json?: boolean
  quality: string
  format?: string
  password?: string
  targetSize?: string
  out?: string
  jobs: number
  keep?: boolean
  hidden?: boolean
  /** false with `--no-ignore`. */
  ignore: boolean
  /** Of what comes on standard input. */
  name: string
}

/** @returns the exit code */
export async function compress(paths: readonly string[], flags: CompressFlags): Promise<number> {
  if (paths.includes('-')) return compressStdin(paths, flags)
  const jobs = chosen(paths, flags)
  return withServer(flags, async (server) => {
    const show = watcher(flags.json === true)
    const { reports, journal, interrupted } = await run(server, jobs, flags, show)
    if (interrupted) {
      console.error(`Interrupted after ${reports.length} of ${jobs.length} files; the same command goes on from here.`)
      return 130
    }
    journal.close()
    if (!flags.json) console.log(sum(reports))
    return exitCodeOf(reports)
  })
}

/** Standard output is the result alone. */
async function compressStdin(paths: readonly string[], flags: CompressFlags): Promise<number> {
  if (paths.length > 1) throw new Trouble('usage', "'-' is standard input, and is taken alone.")
  if (flags.json && flags.out === undefined) throw new Trouble('usage', 'Standard output is the result: --json needs --out.')
  const piped = await fromStdin(flags.name, flags.out)
  try {
    return await withServer(flags, (server) => deliver(server, piped, flags))
  } finally {
    piped.remove()
  }
}

async function deliver(server: Server, piped: Piped, flags: CompressFlags): Promise<number> {
  const show = flags.json ? watcher(true) : watcher(false, { out: process.stderr, err: process.stderr })
  const result = flags.out === undefined ? { result: 'standard output' } : {}
  const named = { ...show, done: (report: Report) => show.done({ ...report, path: '-', ...(report.result ? result : {}) }) }
  const { reports, journal, interrupted } = await run(server, [piped.job], flags, named)
  journal.close()
  if (interrupted) return 130
  await piped.deliver(reports)
  return exitCodeOf(reports)
}

async function run(server: Server, jobs: readonly Job[], flags: CompressFlags, show: Watcher & { stop(): void }) {
  const wishes: Wishes = {
    quality: flags.quality,
    ...(flags.format ? { format: flags.format } : {}),
    ...(flags.password ? { password: flags.password } : {}),
    ...(flags.targetSize ? { target_size: flags.targetSize } : {}),
  }
  const journal = new Journal(server.label, wishes, flags.out)
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort(new Trouble('failed', 'interrupted')))
  const settings = { wishes, jobs: flags.jobs, keep: flags.keep === true, signal: interrupt.signal }
  const reports = await pressAll(new Client(server), jobs, journal, settings, show).finally(() => show.stop())
  return { reports, journal, interrupted: interrupt.signal.aborted }
}

const exitCodeOf = (reports: readonly Report[]) => (reports.some((report) => report.status === 'failed') ? 1 : 0)

/** The files that are meant; what stays at home is said, so that nobody misses it later. */
function chosen(paths: readonly string[], flags: CompressFlags): Job[] {
  const { jobs, leftOut } = collect(paths, flags.out, { hidden: flags.hidden === true, ignored: !flags.ignore })
  const note = leftOut > 0 ? `${leftOut} hidden or ignored left out (--hidden, --no-ignore)` : ''
  if (jobs.length === 0) throw new Trouble('usage', `There are no files in there${note && `: ${note}`}.`)
  if (note && !flags.json) console.error(note)
  return jobs
}
