/** `whittle`: files in, smaller files out. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { get, remove, removeAll, showFormats, showTasks, showUsage } from './account.ts'
import { completionOf, SHELLS, type Shell } from './completion.ts'
import { type CompressFlags, compress } from './compress.ts'
import type { Server } from './config.ts'
import { login, logout } from './login.ts'
import { withServer } from './server.ts'
import { Trouble } from './trouble.ts'
import { type VerifyFlags, verify } from './verify.ts'
import { watch } from './watch.ts'

interface Flags {
  server?: string
  key?: string
  json?: boolean
}

const flagsOf = <T extends Flags>(command: Command) => command.optsWithGlobals<T>()

const EXAMPLES = `
Examples:
  whittle photo.jpg                          the result lies beside it: photo.whittled.jpg
  whittle photo.jpg -o small.webp            exactly there, as WebP
  whittle scans/ -q low -o smaller/          a folder with everything below it
  whittle photos/ --in-place                 instead of the files; they stay as name.original.ext
  whittle report.pdf --target-size 1MB       the best result that fits
  whittle verify photo.jpg photo.whittled.jpg receipt.jws
  whittle watch inbox/ -o smaller/           what comes in goes out smaller, until Ctrl-C
  cat notes.txt | whittle - --name notes.txt > notes.txt.zst
  whittle compress --help                    all options
`

/** Runs the command line; the answer is the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0
  const exit = (code: number) => {
    exitCode = code
  }
  const program = wholeProgram()
  addCompress(program, exit)
  addWatch(program, exit)
  addVerify(program, exit)
  addMcp(program)
  addAccount(program)
  addLogin(program)
  addCompletion(program)
  try {
    await program.parseAsync(argv as string[])
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (error instanceof Trouble) {
      console.error(error.message)
      return error.exitCode
    }
    throw error
  }
}

/** What all commands share. */
function wholeProgram(): Command {
  return new Command('whittle')
    .version(manifest.version)
    .addHelpText('after', EXAMPLES)
    .description('Makes files smaller and proves that nothing was lost.')
    .option('--server <url>', 'the service (or WHITTLE_SERVER, or whittle login); without one the embedded service is started')
    .option('--key <key>', 'the API key (or WHITTLE_KEY, or whittle login)')
    .option('--json', 'one JSON object a line instead of text')
    .exitOverride()
    .enablePositionalOptions(false)
}

/** The command that runs where none is named; `exit` gets its exit code. */
function addCompress(program: Command, exit: (code: number) => void): void {
  const command = program
    .command('compress', { isDefault: true })
    .description('compress files and folders (the default)')
    .argument('[paths...]', 'files, folders with what is below them, or - for standard input to standard output')
  addWishes(command)
    .addOption(
      new Option(
        '-o, --out <path>',
        'where results go: a folder, or a file name for one file (default: beside the file, as name.whittled.ext)',
      ),
    )
    .addOption(new Option('-i, --in-place', 'put results in place of the files, which stay as name.original.ext').conflicts('out'))
    .option('--no-backup', 'with --in-place: the files do not stay')
    .option('--skip-existing', 'leave files alone whose results are there')
    .option('--force', 'write over what has the name of a result')
    .option('-n, --dry-run', 'say what would be sent and where results would go, and stop')
    .option('--name <name>', 'what standard input is called, where its content does not tell its format', 'stdin')
    .action(async (paths: string[], _options, command: Command) => {
      const settings = flagsOf<CompressFlags>(command)
      if (paths.length === 0) program.help({ error: true })
      exit(await compress(paths, settings))
    })
}

/** What `compress` and `watch` share. */
function addWishes(command: Command): Command {
  return command
    .addOption(
      new Option(
        '-q, --quality <level>',
        'quality to keep; low gives the smallest file, high the most faithful one, ultra is smaller than low (DOCX, XLSX, PPTX, OFD)',
      )
        .choices(['low', 'medium', 'high', 'ultra'])
        .default('medium'),
    )
    .option('-f, --format <name>', 'another output format (webp, avif, png, mp3, br, …)')
    .addOption(new Option('-p, --password <text>', 'encrypt the results').env('WHITTLE_PASSWORD'))
    .option('--password-stdin', 'encrypt the results with the first line of standard input')
    .option('-t, --target-size <size>', 'the best result that fits, like 500kB or 1MB', parseSize)
    .addOption(
      new Option(
        '--usage-rights <choice>',
        'PDFs with rights for Adobe Reader and no signature: drop compresses them without these',
      ).choices(['keep', 'drop']),
    )
    .option('-j, --jobs <count>', 'files at the same time', parseCount, 4)
    .option('--keep', 'leave tasks and results on the service')
    .option('--hidden', 'in folders, also what has a name that begins with a dot')
    .option('--no-ignore', 'in folders, also node_modules, .git, and what .gitignore names')
    .option('--quiet', 'say failures alone')
}

function addWatch(program: Command, exit: (code: number) => void): void {
  const command = program.command('watch').description('compress what appears in a folder, until Ctrl-C').argument('<folder>')
  addWishes(command)
    .requiredOption('-o, --out <folder>', 'where results go')
    .action(async (folder: string, _options, command: Command) => {
      exit(await watch(folder, { ...flagsOf<CompressFlags & { out: string }>(command), backup: true, name: '' }))
    })
}

/** Needs no service; `exit` gets its exit code. */
function addVerify(program: Command, exit: (code: number) => void): void {
  program
    .command('verify')
    .description('decode both files, measure anew and say whether the receipt is true; exits with 1 where it is not')
    .argument('<original>', 'the file that was sent')
    .argument('<result>', 'what came back')
    .argument('[receipt]', 'signed (JWS) or as JSON; without one the files are measured')
    .option('--jwks <file-or-url>', "the service's keys, to check the signature with")
    .action(async (original: string, result: string, receipt: string | undefined, _options, command: Command) => {
      exit(await verify([original, result, ...(receipt === undefined ? [] : [receipt])], flagsOf<VerifyFlags>(command)))
    })
}

function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve assistants (Model Context Protocol, standard input and output): compress, status, verify, formats')
    .argument('[folders...]', 'what it may read and write (default: the current folder)')
    .action(async (folders: string[], _options, command: Command) => {
      // Nobody else should wait for it to be loaded.
      const { serveMcp } = await import('./mcp.ts')
      await serveMcp(folders, flagsOf(command))
    })
}

/** Commands that ask the service what it knows. */
function addAccount(program: Command): void {
  const asking = (work: (server: Server, json: boolean) => Promise<void>, command: Command) =>
    withServer(flagsOf(command), async (server) => {
      await work(server, flagsOf(command).json === true)
      return 0
    })
  program
    .command('formats')
    .description('what the service takes, and what it may become')
    .action(async (_options, command: Command) => void (await asking(showFormats, command)))
  program
    .command('usage')
    .description("this month's usage")
    .action(async (_options, command: Command) => void (await asking(showUsage, command)))
  program
    .command('tasks')
    .description('the newest tasks')
    .option('-n, --limit <count>', 'how many', parseCount, 20)
    .action(
      async ({ limit }: { limit: number }, command: Command) =>
        void (await asking((server, json) => showTasks(server, limit, json), command)),
    )
  program
    .command('get')
    .description("fetch a task's result, once it is there")
    .argument('<task-id>')
    .option('-o, --out <path>', 'a folder, or a file name (default: here, under its own name)')
    .option('--force', 'write over what has the name')
    .action(
      async (id: string, { out, force }: { out?: string; force?: boolean }, command: Command) =>
        void (await asking((server) => get(server, id, out, force === true), command)),
    )
  program
    .command('rm')
    .description('delete tasks and their results')
    .argument('[task-ids...]')
    .option('--all', 'all that are done')
    .action(async (ids: string[], { all }: { all?: boolean }, command: Command) => {
      if ((all === true) === ids.length > 0) throw new Trouble('usage', 'Name tasks, or --all.')
      await asking((server) => (all ? removeAll(server) : remove(server, ids)), command)
    })
}

function addLogin(program: Command): void {
  program
    .command('login')
    .description('keep the address of a service and a key for it')
    .argument('[url]', 'the service')
    .action(async (url: string | undefined, _options, command: Command) => login(url, flagsOf(command)))
  program.command('logout').description('forget them').action(logout)
}

function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => console.log(completionOf(program, shell)))
}

function parseSize(text: string): string {
  const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(text)
  const factor = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }[(match?.[2] ?? 'b').toLowerCase()] ?? 1
  const size = match ? Math.floor(Number(match[1]) * factor) : 0
  if (size < 1) throw new InvalidArgumentError('a size is a number with B, kB, MB or GB.')
  return String(size)
}

function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 100) throw new InvalidArgumentError('a count is a whole number from 1 to 100.')
  return count
}
