/** `whittle FILES` and `whittle -`. */
import { Client, type Wishes } from './client.ts'
import type { Server } from './config.ts'
import { collect, type Job } from './files.ts'
import { Journal } from './journal.ts'
import { fromStdin, type Piped } from './pipe.ts'
import { formatOfName, namesFile, type Place, resultPath } from './place.ts'
import { pressAll, type Report, type Watcher } from './press.ts'
import { withServer } from './server.ts'
import { bytes, type Streams, sum, watcher } from './show.ts'
import { Trouble } from './trouble.ts'

export interface CompressFlags {
  server?: string
  key?: string
  json?: boolean
  quiet?: boolean
  quality: NonNullable<Wishes['quality']>
  format?: string
  password?: string
  passwordStdin?: boolean
  targetSize?: string
  usageRights?: NonNullable<Wishes['usage_rights']>
  /** A folder, or a file where one file comes in. */
  out?: string
  inPlace?: boolean
  /** false with `--no-backup`. */
  backup: boolean
  skipExisting?: boolean
  force?: boolean
  dryRun?: boolean
  jobs: number
  keep?: boolean
  hidden?: boolean
  /** false with `--no-ignore`. */
  ignore: boolean
  /** Of what comes on standard input. */
  name: string
}

const STDERR: Streams = { out: process.stderr, err: process.stderr }

/** @returns the exit code */
export async function compress(paths: readonly string[], given: CompressFlags): Promise<number> {
  if (paths.includes('-')) return compressStdin(paths, given)
  const jobs = chosen(paths, given)
  if (given.dryRun) return plan(jobs, given)
  const flags = await withPassword(withFormatOf(jobs, given))
  return withServer(flags, async (server) => {
    const { reports, journal, interrupted } = await run(server, jobs, flags, shownBy(flags, jobs))
    if (interrupted) {
      console.error(`Interrupted after ${reports.length} of ${jobs.length} files; the same command goes on from here.`)
      return 130
    }
    journal.close()
    if (!flags.json && !flags.quiet) console.log(sum(reports))
    return exitCodeOf(reports)
  })
}

export const shownBy = ({ json, quiet }: CompressFlags, jobs: readonly Job[], streams?: Streams) =>
  watcher({ json: json === true, quiet: quiet === true }, jobs, streams)

/** What would be sent, and where results would go; no service is asked. */
function plan(jobs: readonly Job[], { json }: CompressFlags): number {
  for (const { path, size, place } of jobs) {
    if (json) console.log(JSON.stringify({ path, size, place }))
    else console.log(`${path}: ${bytes(size)} → ${resultPath({ path, place }, path)}`)
  }
  const total = jobs.reduce((all, { size }) => all + size, 0)
  if (!json) console.log(`${jobs.length} file${jobs.length === 1 ? '' : 's'}: ${bytes(total)} would be sent; nothing was`)
  return 0
}

/** Standard output is the result alone. */
async function compressStdin(paths: readonly string[], flags: CompressFlags): Promise<number> {
  if (paths.length > 1) throw new Trouble('usage', "'-' is standard input, and is taken alone.")
  if (flags.json && flags.out === undefined) throw new Trouble('usage', 'Standard output is the result: --json needs --out.')
  if (flags.inPlace || flags.passwordStdin) throw new Trouble('usage', 'Standard input is the file: it is in no place, and no password.')
  const place = flags.out === undefined ? undefined : placeOf(flags, true)
  const piped = await fromStdin(flags.name, place)
  try {
    const asked = place?.kind === 'file' ? withFormatOf([piped.job], flags) : flags
    return await withServer(asked, (server) => deliver(server, piped, asked))
  } finally {
    piped.remove()
  }
}

async function deliver(server: Server, piped: Piped, flags: CompressFlags): Promise<number> {
  const show = flags.json ? shownBy(flags, [piped.job]) : shownBy(flags, [piped.job], STDERR)
  const result = flags.out === undefined ? { result: 'standard output' } : {}
  const named: Watcher & { stop(): void } = {
    step: (job, what, share) => show.step(job, what, share),
    done: (report) => show.done({ ...report, path: '-', ...(report.result ? result : {}) }),
    stop: () => show.stop(),
  }
  const { reports, journal, interrupted } = await run(server, [piped.job], flags, named)
  journal.close()
  if (interrupted) return 130
  await piped.deliver(reports)
  return exitCodeOf(reports)
}

/** Ends when all are done, or with Ctrl-C. */
export async function run(server: Server, jobs: readonly Job[], flags: CompressFlags, show: Watcher & { stop(): void }) {
  const wishes: Wishes = {
    quality: flags.quality,
    ...(flags.format ? { format: flags.format } : {}),
    ...(flags.password ? { password: flags.password } : {}),
    ...(flags.targetSize ? { target_size: Number(flags.targetSize) } : {}),
    ...(flags.usageRights ? { usage_rights: flags.usageRights } : {}),
  }
  const journal = new Journal(server.label, wishes, flags.out)
  const interrupt = new AbortController()
  const stop = () => interrupt.abort(new Trouble('failed', 'interrupted'))
  process.once('SIGINT', stop)
  const settings = {
    wishes,
    jobs: flags.jobs,
    keep: flags.keep === true,
    force: flags.force === true,
    skipExisting: flags.skipExisting === true,
    signal: interrupt.signal,
  }
  const reports = await pressAll(new Client(server), jobs, journal, settings, show).finally(() => {
    process.off('SIGINT', stop)
    show.stop()
  })
  return { reports, journal, interrupted: interrupt.signal.aborted }
}

const exitCodeOf = (reports: readonly Report[]) => (reports.some((report) => report.status === 'failed') ? 1 : 0)

/** The files that are meant; what stays at home is said, so that nobody misses it later. */
function chosen(paths: readonly string[], flags: CompressFlags): Job[] {
  const place = placeOf(flags, paths.length === 1)
  const { jobs, leftOut } = collect(paths, place, { hidden: flags.hidden === true, ignored: !flags.ignore })
  const note = leftOut > 0 ? `${leftOut} hidden or ignored left out (--hidden, --no-ignore)` : ''
  if (jobs.length === 0) throw new Trouble('usage', `There are no files in there${note && `: ${note}`}.`)
  if (place.kind === 'file' && jobs[0]?.path !== paths[0])
    throw new Trouble('usage', `${place.path} is one file, and ${paths[0]} a folder.`)
  if (note && !flags.json && !flags.quiet) console.error(note)
  return jobs
}

function placeOf({ out, inPlace, backup }: CompressFlags, isSingle: boolean): Place {
  if (inPlace) return { kind: 'inPlace', backup }
  if (out === undefined) return { kind: 'beside' }
  return isSingle && namesFile(out) ? { kind: 'file', path: out } : { kind: 'folder', folder: out }
}

/** `photo.jpg -o small.webp` asks for WebP. */
function withFormatOf([job]: readonly Job[], flags: CompressFlags): CompressFlags {
  if (flags.format !== undefined || job?.place.kind !== 'file') return flags
  const format = formatOfName(job.place.path, job.path)
  return format === undefined ? flags : { ...flags, format }
}

/** The first line of standard input: a password in the arguments stands in the list of processes and in the shell's history. */
async function withPassword(flags: CompressFlags): Promise<CompressFlags> {
  if (!flags.passwordStdin) return flags
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk as string
    if (text.includes('\n')) break
  }
  const [password = ''] = text.split(/\r?\n/)
  if (password === '') throw new Trouble('usage', 'There is no password on standard input.')
  return { ...flags, password }
}
