/** Implements `whittle FILES` and `whittle -`. */
import { Client, type CompressOptions } from './client.ts'
import type { Server } from './config.ts'
import { collectFiles, type InputFile } from './files.ts'
import { Journal } from './journal.ts'
import { type PipedFile, readStdin } from './pipe.ts'
import { type Destination, formatOfName, isFileName, resultPath } from './place.ts'
import { compressAll, type Report, type Reporter } from './press.ts'
import { withServer } from './server.ts'
import { createReporter, formatBytes, formatSummary, type OutputStreams } from './show.ts'
import { CliError } from './trouble.ts'

export interface CompressFlags {
  server?: string
  key?: string
  json?: boolean
  quiet?: boolean
  quality: NonNullable<CompressOptions['quality']>
  format?: string
  password?: string
  passwordStdin?: boolean
  targetSize?: string
  metadata?: NonNullable<CompressOptions['metadata']>
  usageRights?: NonNullable<CompressOptions['usage_rights']>
  /** A folder, or a file name if there is one input. `undefined`: beside the input. */
  out?: string
  inPlace?: boolean
  /** False with `--no-backup`. */
  backup: boolean
  skipExisting?: boolean
  force?: boolean
  dryRun?: boolean
  jobs: number
  keep?: boolean
  hidden?: boolean
  /** False with `--no-ignore`. */
  ignore: boolean
  /** File name for standard input. */
  name: string
}

const STDERR: OutputStreams = { out: process.stderr, err: process.stderr }

/** Compresses the files. @returns the exit code */
export async function compress(paths: readonly string[], commandFlags: CompressFlags): Promise<number> {
  if (paths.includes('-')) return compressStdin(paths, commandFlags)
  const jobs = selectFiles(paths, commandFlags)
  if (commandFlags.dryRun) return printPlan(jobs, commandFlags)
  const flags = await withPassword(withFormatOf(jobs, commandFlags))
  return withServer(flags, async (server) => {
    const { reports, journal, interrupted } = await compressJobs(server, jobs, flags, reporterFor(flags, jobs))
    if (interrupted) {
      console.error(`Interrupted after ${reports.length} of ${jobs.length} files. Run the same command again to continue.`)
      return 130
    }
    journal.close()
    if (!flags.json && !flags.quiet) console.log(formatSummary(reports))
    return exitCodeOf(reports)
  })
}

export const reporterFor = ({ json, quiet }: CompressFlags, jobs: readonly InputFile[], streams?: OutputStreams) =>
  createReporter({ json: json === true, quiet: quiet === true }, jobs, streams)

/** Prints what would be sent and where results would go. Does not contact the service. */
function printPlan(jobs: readonly InputFile[], { json }: CompressFlags): number {
  for (const { path, size, place } of jobs) {
    if (json) console.log(JSON.stringify({ path, size, place }))
    else console.log(`${path}: ${formatBytes(size)} → ${resultPath({ path, place }, path)}`)
  }
  const total = jobs.reduce((all, { size }) => all + size, 0)
  if (!json) console.log(`${jobs.length} file${jobs.length === 1 ? '' : 's'}: ${formatBytes(total)} would be sent (dry run)`)
  return 0
}

/** Compresses standard input. Standard output contains only the result. */
async function compressStdin(paths: readonly string[], flags: CompressFlags): Promise<number> {
  if (paths.length > 1) throw new CliError('usage', "'-' (standard input) cannot be combined with other files.")
  if (flags.json && flags.out === undefined)
    throw new CliError('usage', '--json with standard input needs --out, because standard output contains the result.')
  if (flags.inPlace || flags.passwordStdin)
    throw new CliError('usage', '--in-place and --password-stdin cannot be used with standard input as the file.')
  const place = flags.out === undefined ? undefined : placeOf(flags, true)
  const piped = await readStdin(flags.name, place)
  try {
    const compressFlags = place?.kind === 'file' ? withFormatOf([piped.job], flags) : flags
    return await withServer(compressFlags, (server) => compressPiped(server, piped, compressFlags))
  } finally {
    piped.remove()
  }
}

async function compressPiped(server: Server, piped: PipedFile, flags: CompressFlags): Promise<number> {
  const reporter = flags.json ? reporterFor(flags, [piped.job]) : reporterFor(flags, [piped.job], STDERR)
  const result = flags.out === undefined ? { result: 'standard output' } : {}
  const stdinReporter: Reporter & { stop(): void } = {
    progress: (job, what, share) => reporter.progress(job, what, share),
    done: (report) => reporter.done({ ...report, path: '-', ...(report.result ? result : {}) }),
    stop: () => reporter.stop(),
  }
  const { reports, journal, interrupted } = await compressJobs(server, [piped.job], flags, stdinReporter)
  journal.close()
  if (interrupted) return 130
  await piped.writeResult(reports)
  return exitCodeOf(reports)
}

/** Compresses the files. Resolves when all are finished, or after Ctrl-C. */
export async function compressJobs(
  server: Server,
  jobs: readonly InputFile[],
  flags: CompressFlags,
  reporter: Reporter & { stop(): void },
) {
  const options: CompressOptions = {
    quality: flags.quality,
    ...(flags.format ? { format: flags.format } : {}),
    ...(flags.password ? { password: flags.password } : {}),
    ...(flags.targetSize ? { target_size: Number(flags.targetSize) } : {}),
    ...(flags.metadata ? { metadata: flags.metadata } : {}),
    ...(flags.usageRights ? { usage_rights: flags.usageRights } : {}),
  }
  const journal = new Journal(server.label, options, flags.out)
  const interrupt = new AbortController()
  const stop = () => interrupt.abort(new CliError('failed', 'interrupted'))
  process.once('SIGINT', stop)
  const settings = {
    options,
    jobs: flags.jobs,
    keep: flags.keep === true,
    force: flags.force === true,
    skipExisting: flags.skipExisting === true,
    signal: interrupt.signal,
  }
  const reports = await compressAll(new Client(server), jobs, journal, settings, reporter).finally(() => {
    process.off('SIGINT', stop)
    reporter.stop()
  })
  return { reports, journal, interrupted: interrupt.signal.aborted }
}

const exitCodeOf = (reports: readonly Report[]) => (reports.some((report) => report.status === 'failed') ? 1 : 0)

/** Collects the files to send, and prints how many were skipped. */
function selectFiles(paths: readonly string[], flags: CompressFlags): InputFile[] {
  const place = placeOf(flags, paths.length === 1)
  const { jobs, leftOut } = collectFiles(paths, place, { hidden: flags.hidden === true, ignored: !flags.ignore })
  const skippedNote = leftOut > 0 ? `${leftOut} hidden or ignored files and folders skipped (include them with --hidden, --no-ignore)` : ''
  if (jobs.length === 0) throw new CliError('usage', `No files found${skippedNote && `: ${skippedNote}`}.`)
  if (place.kind === 'file' && jobs[0]?.path !== paths[0])
    throw new CliError('usage', `${place.path} is a file name, but ${paths[0]} is a folder. Pass a folder with --out.`)
  if (skippedNote && !flags.json && !flags.quiet) console.error(skippedNote)
  return jobs
}

function placeOf({ out, inPlace, backup }: CompressFlags, isSingle: boolean): Destination {
  if (inPlace) return { kind: 'inPlace', backup }
  if (out === undefined) return { kind: 'beside' }
  return isSingle && isFileName(out) ? { kind: 'file', path: out } : { kind: 'folder', folder: out }
}

/** Derives the format from the output name: `photo.jpg -o small.webp` requests WebP. */
function withFormatOf([job]: readonly InputFile[], flags: CompressFlags): CompressFlags {
  if (flags.format !== undefined || job?.place.kind !== 'file') return flags
  const format = formatOfName(job.place.path, job.path)
  return format === undefined ? flags : { ...flags, format }
}

/** Reads the password from the first line of standard input. In the arguments it would be visible in process lists and shell history. */
async function withPassword(flags: CompressFlags): Promise<CompressFlags> {
  if (!flags.passwordStdin) return flags
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk as string
    if (text.includes('\n')) break
  }
  const [password = ''] = text.split(/\r?\n/)
  if (password === '') throw new CliError('usage', 'No password found: the first line of standard input is empty.')
  return { ...flags, password }
}
