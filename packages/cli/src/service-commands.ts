/** Defines the commands that query a service. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { EFFORTS } from '../../../src/core/catalog/effort.ts'
import { TARGET_SCORES } from '../../../src/core/catalog/score-goal.ts'
import { deleteFinishedTasks, deleteTasks, downloadResult, showFormats, showTasks, showUsage } from './account.ts'
import { findServer, type Server } from './config.ts'
import { login, logout } from './login.ts'
import { requireServer } from './server.ts'
import { type SyncFlags, sync } from './sync.ts'
import { CliError } from './trouble.ts'

/** Options that all commands have. */
export interface GlobalFlags {
  server?: string
  key?: string
  json?: boolean
}

export const flagsOf = <T extends GlobalFlags>(command: Command) => command.optsWithGlobals<T>()

/** Adds commands that query the service. */
export function addAccount(program: Command): void {
  const withService = (work: (server: Server, json: boolean) => Promise<void>, command: Command) =>
    work(requireServer(flagsOf(command)), flagsOf(command).json === true)
  program
    .command('formats')
    .description('list supported formats and their output formats')
    .action(async (_options, command: Command) => showFormats(findServer(flagsOf(command)), flagsOf(command).json === true))
  program
    .command('usage')
    .description("show this month's usage")
    .action(async (_options, command: Command) => withService(showUsage, command))
  program
    .command('tasks')
    .description('list the newest tasks')
    .option('-n, --limit <count>', 'number of tasks', parseCount, 20)
    .action(async ({ limit }: { limit: number }, command: Command) =>
      withService((server, json) => showTasks(server, limit, json), command),
    )
  program
    .command('get')
    .description('wait for a task and download its result')
    .argument('<task-id>')
    .option('-o, --out <path>', 'output folder or file name (default: its own name in the current folder)')
    .option('--force', 'overwrite an existing file')
    .action(async (id: string, { out, force }: { out?: string; force?: boolean }, command: Command) =>
      withService((server) => downloadResult(server, id, out, force === true), command),
    )
  program
    .command('rm')
    .description('delete tasks and their results')
    .argument('[task-ids...]')
    .option('--all', 'delete all completed and failed tasks')
    .action(async (ids: string[], { all }: { all?: boolean }, command: Command) => {
      if ((all === true) === ids.length > 0) throw new CliError('usage', 'Pass either task ids or --all.')
      await withService((server) => (all ? deleteFinishedTasks(server) : deleteTasks(server, ids)), command)
    })
}

/** Adds `sync`. `exit` receives its exit code. */
export function addSync(program: Command, exit: (code: number) => void): void {
  program
    .command('sync')
    .description('compress the objects of a bucket into another; the service does it by itself, with the connections of the account')
    .argument('[source]', 'objects to compress: s3://CONNECTION/PREFIX')
    .argument('[destination]', 'where the results go: s3://CONNECTION/PREFIX')
    .addOption(new Option('-q, --quality <level>', 'quality to keep (default: medium)').choices(['low', 'medium', 'high', 'ultra']))
    .option('-f, --format <name>', 'another output format, for files that can have it')
    .option('--preset <name>', 'fields that the service stores under this name')
    .option('--score <points>', 'lowest SSIMULACRA 2 score of every picture, 50 to 95, instead of --quality', numberFrom(TARGET_SCORES))
    .addOption(new Option('--effort <choice>', 'how long to search for a small result').choices(EFFORTS))
    .addOption(new Option('--metadata <choice>', 'metadata to remove').choices(['keep', 'safe', 'strip']))
    .option('-n, --dry-run', 'list and estimate only')
    .option('--no-wait', 'return as soon as the sync has begun')
    .addOption(new Option('--resume <sync-id>', 'go on with a sync that has failed').conflicts('cancel'))
    .option('--cancel <sync-id>', 'cancel a sync')
    .action(async (source: string | undefined, destination: string | undefined, _options, command: Command) => {
      const places = [source, destination].filter((place) => place !== undefined)
      exit(await sync(requireServer(flagsOf(command)), places, flagsOf<SyncFlags & GlobalFlags>(command)))
    })
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('save the address and API key of a service')
    .argument('[url]', 'URL of the service')
    .action(async (url: string | undefined, _options, command: Command) => login(url, flagsOf(command)))
  program.command('logout').description('delete the saved address and API key').action(logout)
}

/** Parses a number of files or tasks. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 100)
    throw new InvalidArgumentError(`expected a whole number from 1 to 100, got "${text}".`)
  return count
}

/** Returns a parser of a number in a range. */
export const numberFrom =
  ({ least, most }: { readonly least: number; readonly most: number }) =>
  (text: string) => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= least && value <= most))
      throw new InvalidArgumentError(`expected a number from ${least} to ${most}, got "${text}".`)
    return value
  }
