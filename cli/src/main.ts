/** `whittle`: files in, smaller files out. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { Client } from './client.ts'
import { type CompressFlags, compress } from './compress.ts'
import { withServer } from './server.ts'
import { bytes } from './show.ts'
import { Trouble } from './trouble.ts'
import { type VerifyFlags, verify } from './verify.ts'

interface Flags {
  server?: string
  key?: string
  json?: boolean
}

const flagsOf = <T extends Flags>(command: Command) => command.optsWithGlobals<T>()

const EXAMPLES = `
Examples:
  whittle photo.jpg                          the result lies beside it: photo.whittled.jpg
  whittle scans/ -q low -o smaller/          a folder with everything below it
  whittle report.pdf --target-size 1MB       the best result that fits
  whittle verify photo.jpg photo.whittled.jpg receipt.jws
  cat notes.txt | whittle - --name notes.txt > notes.txt.zst
  whittle compress --help                    all options
`

/** Runs the command line; the answer is the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0
  const program = wholeProgram()
  addCompress(program, (code) => {
    exitCode = code
  })
  addVerify(program, (code) => {
    exitCode = code
  })
  addUsage(program)
  addTasks(program)
  addRemove(program)
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
    .option('--server <url>', 'the service (or WHITTLE_SERVER); without one the embedded service is started')
    .option('--key <key>', 'the API key (or WHITTLE_KEY)')
    .option('--json', 'one JSON object a line instead of text')
    .exitOverride()
    .enablePositionalOptions(false)
}

/** The command that runs where none is named; `exit` gets its exit code. */
function addCompress(program: Command, exit: (code: number) => void): void {
  program
    .command('compress', { isDefault: true })
    .description('compress files and folders (the default)')
    .argument('[paths...]', 'files, folders with what is below them, or - for standard input to standard output')
    .addOption(
      new Option(
        '-q, --quality <level>',
        'quality to keep; low gives the smallest file, high the most faithful one, ultra is smaller than low (DOCX, XLSX, PPTX, OFD)',
      )
        .choices(['low', 'medium', 'high', 'ultra'])
        .default('medium'),
    )
    .option('-f, --format <name>', 'another output format (webp, avif, png, mp3, br, …)')
    .option('-o, --out <folder>', 'where results go (default: beside the file, as name.whittled.ext)')
    .addOption(new Option('-p, --password <text>', 'encrypt the results').env('WHITTLE_PASSWORD'))
    .option('-t, --target-size <size>', 'the best result that fits, like 500kB or 1MB', parseSize)
    .option('-j, --jobs <count>', 'files at the same time', parseCount, 4)
    .option('--name <name>', 'what standard input is called, where its content does not tell its format', 'stdin')
    .option('--keep', 'leave tasks and results on the service')
    .option('--hidden', 'in folders, also what has a name that begins with a dot')
    .option('--no-ignore', 'in folders, also node_modules, .git, and what .gitignore names')
    .action(async (paths: string[], _options, command: Command) => {
      const settings = flagsOf<CompressFlags>(command)
      if (paths.length === 0) program.help({ error: true })
      exit(await compress(paths, settings))
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

function addUsage(program: Command): void {
  program
    .command('usage')
    .description("this month's usage")
    .action(async (_options, command: Command) => {
      await withServer(flagsOf(command), async (server) => {
        const usage = await new Client(server).usage()
        if (flagsOf(command).json) console.log(JSON.stringify(usage))
        else for (const [name, value] of Object.entries(usage)) if (typeof value !== 'object') console.log(`${name.padEnd(18)} ${value}`)
        return 0
      })
    })
}

function addTasks(program: Command): void {
  program
    .command('tasks')
    .description('the newest tasks')
    .option('-n, --limit <count>', 'how many', parseCount, 20)
    .action(async (options: { limit: number }, command: Command) => {
      await withServer(flagsOf(command), async (server) => {
        const { tasks } = await new Client(server).tasks(options.limit)
        for (const task of tasks) {
          const size = `${bytes(task.original_size)} → ${task.compressed_size === undefined ? '…' : bytes(task.compressed_size)}`
          console.log(
            flagsOf(command).json
              ? JSON.stringify(task)
              : `${task.task_id}  ${task.status.padEnd(10)} ${size.padEnd(22)} ${task.file_name}`,
          )
        }
        return 0
      })
    })
}

function addRemove(program: Command): void {
  program
    .command('rm')
    .description('delete tasks and their results')
    .argument('<task-ids...>')
    .action(async (ids: string[], _options, command: Command) => {
      await withServer(flagsOf(command), async (server) => {
        for (const id of ids) console.log(`${id}: ${bytes((await new Client(server).remove(id)).freed_bytes)} freed`)
        return 0
      })
    })
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
