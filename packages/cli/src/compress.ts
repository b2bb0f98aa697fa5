/** Implements `whittle FILES` and `whittle -`. */
import { checkAddresses, type DestinationFlags, destinationOptions, isAddress } from './address.ts'
import { Archive } from './archive.ts'
import type { CompressOptions } from './client.ts'
import type { Engine } from './engine.ts'
import { collectFiles, expandPatterns, type InputFile } from './files.ts'
import { Journal } from './journal.ts'
import { MadeResults } from './made-results.ts'
import { type PipedFile, pipedFile } from './pipe.ts'
import { type Destination, formatOfName, isFileName, resultPath } from './place.ts'
import { compressAll, type Report, type Reporter } from './run.ts'
import { requireServer, withEngine } from './server.ts'
import { createReporter, formatBytes, formatSummary, type OutputStreams } from './show.ts'
import { CliError } from './trouble.ts'

export interface CompressFlags extends DestinationFlags {
  server?: string
  key?: string
  json?: boolean
  quiet?: boolean
  /** `undefined`: that of the preset. */
  quality?: NonNullable<CompressOptions['quality']>
  /** Name of a preset of the service. */
  preset?: string
  format?: string
  password?: string
  passwordStdin?: boolean
  targetSize?: string
  /** Score instead of a level. */
  score?: number
  maxWidth?: number
  maxHeight?: number
  dpi?: number
  effort?: NonNullable<CompressOptions['effort']>
  metadata?: NonNullable<CompressOptions['metadata']>
  usageRights?: NonNullable<CompressOptions['usage_rights']>
  /** A folder, a file name if there is one input, or `-` for standard output. `undefined`: beside the input. */
  out?: string
  inPlace?: boolean
  /** File name of a ZIP that takes all results. */
  zip?: string
  /** False with `--no-backup`. */
  backup: boolean
  skipExisting?: boolean
  force?: boolean
  dryRun?: boolean
  watch?: boolean
  /** Files in parallel. `undefined`: one per core, or four with a service. */
  jobs?: number
  keep?: boolean
  hidden?: boolean
  /** False with `--no-ignore`. */
  ignore: boolean
  /** File name for standard input. */
  name: string
}

const STDERR: OutputStreams = { out: process.stderr, err: process.stderr }

const STDOUT = '-'

/** Compresses the files. @returns the exit code */
export async function compress(given: readonly string[], commandFlags: CompressFlags): Promise<number> {
  const paths = expandPatterns(given)
  checkAddresses(paths, commandFlags)
  if (paths.includes('-') || commandFlags.out === STDOUT) return compressToPipe(paths, commandFlags)
  if (commandFlags.zip === undefined) return compressToFiles(paths, commandFlags)
  const archive = new Archive(commandFlags.zip, commandFlags.force === true)
  try {
    return await compressToFiles(paths, { ...commandFlags, out: commandFlags.dryRun ? `${commandFlags.zip}/` : archive.folder }, archive)
  } finally {
    archive.remove()
  }
}

/** @param archive takes the results from the output folder. `undefined`: they stay there */
async function compressToFiles(paths: readonly string[], commandFlags: CompressFlags, archive?: Archive): Promise<number> {
  const jobs = selectFiles(paths, commandFlags)
  if (commandFlags.dryRun) return printPlan(jobs, commandFlags)
  if (paths.some(isAddress)) requireServer(commandFlags)
  const flags = await withPassword(withFormatOf(jobs, commandFlags))
  const startedMs = performance.now()
  return withEngine(flags, jobs.length, async (engine) => {
    const reporter = reporterFor(flags, jobs)
    const { reports, journal, interrupted } = await compressJobs(engine, jobs, flags, archive?.reporter(reporter) ?? reporter)
    // A ZIP begins again, because its results are deleted.
    if (archive || !interrupted) journal.close()
    if (interrupted) {
      const advice = archive ? 'No ZIP was written.' : 'Run the same command again to continue.'
      console.error(`Interrupted after ${reports.length} of ${jobs.length} files. ${advice}`)
      return 130
    }
    await archive?.pack(reports)
    if (!flags.json && !flags.quiet) console.log(formatSummary(reports, performance.now() - startedMs))
    return exitCodeOf(reports)
  })
}

export const reporterFor = ({ json, quiet }: CompressFlags, jobs: readonly InputFile[], streams?: OutputStreams) =>
  createReporter({ json: json === true, quiet: quiet === true }, jobs, streams)

/** Prints what would be compressed and where results would go. */
function printPlan(jobs: readonly InputFile[], { json }: CompressFlags): number {
  for (const { path, size, place } of jobs) {
    if (json) console.log(JSON.stringify({ path, size, place }))
    else console.log(`${path}: ${formatBytes(size)} → ${resultPath({ path, place }, path)}`)
  }
  const total = jobs.reduce((all, { size }) => all + size, 0)
  if (!json) console.log(`${jobs.length} file${jobs.length === 1 ? '' : 's'}: ${formatBytes(total)} would be compressed (dry run)`)
  return 0
}

/** Compresses standard input, or one file to standard output. Standard output then contains only the result. */
async function compressToPipe(paths: readonly string[], flags: CompressFlags): Promise<number> {
  const [path] = paths
  const isStdin = path === '-'
  if (flags.to !== undefined || flags.zip !== undefined || (path !== undefined && isAddress(path)))
    throw new CliError('usage', 'Standard input and output cannot be used with an address, --to or --zip.')
  if (paths.length > 1 || path === undefined)
    throw new CliError(
      'usage',
      paths.includes('-') ? "'-' (standard input) cannot be combined with other files." : `'-o -' needs one input, got ${paths.length}.`,
    )
  const toStdout = flags.out === undefined || flags.out === STDOUT
  if (flags.json && toStdout)
    throw new CliError('usage', '--json needs an output file here, because standard output contains the result. Pass --out FILE.')
  if (flags.inPlace || (flags.passwordStdin && isStdin))
    throw new CliError('usage', '--in-place and --password-stdin cannot be used with standard input as the file.')
  const place = toStdout ? undefined : placeOf(flags, paths)
  const piped = await pipedFile(isStdin ? undefined : path, flags.name, place)
  try {
    const settings = await withPassword(place?.kind === 'file' ? withFormatOf([piped.job], flags) : flags)
    return await withEngine(settings, 1, (engine) => compressPiped(engine, piped, settings, path))
  } finally {
    piped.remove()
  }
}

async function compressPiped(engine: Engine, piped: PipedFile, flags: CompressFlags, path: string): Promise<number> {
  const reporter = flags.json ? reporterFor(flags, [piped.job]) : reporterFor(flags, [piped.job], STDERR)
  const result = piped.toStdout ? { result: 'standard output' } : {}
  const pipeReporter: Reporter & { stop(): void } = {
    progress: (job, what, share) => reporter.progress(job, what, share),
    done: (report) => reporter.done({ ...report, path, ...(report.result ? result : {}) }),
    stop: () => reporter.stop(),
  }
  const { reports, journal, interrupted } = await compressJobs(engine, [piped.job], flags, pipeReporter)
  journal.close()
  if (interrupted) return 130
  await piped.writeResult(reports)
  return exitCodeOf(reports)
}

/** Compresses the files. Resolves when all are finished, or after Ctrl-C. */
export async function compressJobs(
  engine: Engine,
  jobs: readonly InputFile[],
  flags: CompressFlags,
  reporter: Reporter & { stop(): void },
) {
  const options: CompressOptions = {
    ...(flags.quality ? { quality: flags.quality } : {}),
    ...(flags.preset ? { preset: flags.preset } : {}),
    ...(flags.format ? { format: flags.format } : {}),
    ...(flags.password ? { password: flags.password } : {}),
    ...(flags.targetSize ? { target_size: Number(flags.targetSize) } : {}),
    ...(flags.score === undefined ? {} : { target_score: flags.score }),
    ...(flags.maxWidth === undefined ? {} : { max_width: flags.maxWidth }),
    ...(flags.maxHeight === undefined ? {} : { max_height: flags.maxHeight }),
    ...(flags.dpi === undefined ? {} : { dpi: flags.dpi }),
    ...(flags.effort ? { effort: flags.effort } : {}),
    ...(flags.metadata ? { metadata: flags.metadata } : {}),
    ...(flags.usageRights ? { usage_rights: flags.usageRights } : {}),
    ...destinationOptions(flags),
  }
  const journal = new Journal(engine.label, options, flags.out)
  const interrupt = new AbortController()
  const stop = () => interrupt.abort(new CliError('failed', 'interrupted'))
  process.once('SIGINT', stop)
  const settings = {
    options,
    jobs: flags.jobs ?? engine.parallel,
    keep: flags.keep === true,
    force: flags.force === true,
    skipExisting: flags.skipExisting === true,
    signal: interrupt.signal,
  }
  const made = new MadeResults()
  const reports = await compressAll(jobs, { engine, journal, made, settings, reporter }).finally(() => {
    made.save()
    process.off('SIGINT', stop)
    reporter.stop()
  })
  return { reports, journal, interrupted: interrupt.signal.aborted }
}

const exitCodeOf = (reports: readonly Report[]) => (reports.some((report) => report.status === 'failed') ? 1 : 0)

/** Collects the files to send, and prints how many were skipped. */
function selectFiles(paths: readonly string[], flags: CompressFlags): InputFile[] {
  const place = placeOf(flags, paths)
  const { jobs, leftOut } = collectFiles(paths, place, { hidden: flags.hidden === true, ignored: !flags.ignore })
  const skippedNote = leftOut > 0 ? `${leftOut} hidden or ignored files and folders skipped (include them with --hidden, --no-ignore)` : ''
  if (flags.to !== undefined && jobs.length > 1) throw new CliError('usage', `--to needs one file, got ${jobs.length}.`)
  if (jobs.length === 0) throw new CliError('usage', `No files found${skippedNote && `: ${skippedNote}`}.`)
  if (place.kind === 'file' && jobs[0]?.path !== paths[0])
    throw new CliError('usage', `${place.path} is a file name, but ${paths[0]} is a folder. Pass a folder with --out.`)
  if (skippedNote && !flags.json && !flags.quiet) console.error(skippedNote)
  return jobs
}

/** @throws CliError if `--out` names a file and there are several inputs */
function placeOf({ out, inPlace, backup, to }: CompressFlags, paths: readonly string[]): Destination {
  if (inPlace) return { kind: 'inPlace', backup }
  if (out === undefined) return to === undefined ? { kind: 'beside' } : { kind: 'sent' }
  if (!isFileName(out)) return { kind: 'folder', folder: out }
  if (paths.length === 1) return { kind: 'file', path: out }
  throw new CliError('usage', `${out} is a file name, but there are ${paths.length} inputs. Pass a folder with --out, for example ${out}/.`)
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
