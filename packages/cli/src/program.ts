/** Defines the commands and options of the command line. Help, completions and the manual page are made from them. */
import { Argument, Command, Help, InvalidArgumentError, Option } from 'commander'
import { EFFORTS } from '../../../src/core/catalog/effort.ts'
import { DOCUMENT_DPI } from '../../../src/core/catalog/levels.ts'
import { TARGET_SCORES } from '../../../src/core/catalog/score-goal.ts'
import manifest from '../package.json' with { type: 'json' }
import { parseHeader } from './address.ts'
import { completionScript, SHELLS, type Shell } from './completion.ts'
import { type CompressFlags, compress } from './compress.ts'
import { addAccount, addLogin, addSync, flagsOf, numberFrom, parseCount } from './service-commands.ts'
import { CliError } from './trouble.ts'
import { type UnpackFlags, unpack } from './unpack.ts'
import { type VerifyFlags, verify } from './verify.ts'
import { watch } from './watch.ts'

/** Widths and heights in pixels that the service accepts. */
const PIXELS = { least: 1, most: 999_999_999 }

/** Examples below the help. */
export const EXAMPLES = `
Examples:
  whittle photo.jpg                          saves the result as photo.whittled.jpg
  whittle photo.jpg -o small.webp            saves it as small.webp, in WebP
  whittle scans/ -q low -o smaller/          compresses a folder recursively
  whittle photos/ --in-place                 replaces files, keeps name.original.ext
  whittle report.pdf --target-size 1MB       the best result of at most 1 MB
  whittle photo.jpg --max-width 1600         reduces wider pictures
  whittle 'photos/*.jpg' -o smaller/         a pattern
  whittle photos/ --zip small.zip            all results and receipts in one ZIP
  whittle https://example.com/photo.jpg      with a service: fetched by it
  whittle sync s3://shop/photos s3://shop/small  with a service: bucket to bucket
  whittle verify photo.jpg photo.whittled.jpg
  whittle unpack photo.jxl                   the JPEG that it was made from
  whittle watch inbox/ -o smaller/           compresses new files until Ctrl-C
  cat notes.txt | whittle - --name notes.txt > notes.txt.zst
  whittle compress --help                    all options
`

/** Returns the program. `exit` receives the exit code of a command that has several. */
export function programWith(exit: (code: number) => void): Command {
  const program = createProgram()
  addCompress(program, exit)
  addWatch(program, exit)
  addVerify(program, exit)
  addUnpack(program)
  addMcp(program)
  addAccount(program)
  addSync(program, exit)
  addLogin(program)
  addCompletion(program)
  return program
}

/** Program with the global options. */
function createProgram(): Command {
  return new Command('whittle')
    .usage('[options] <files…>')
    .configureHelp({ visibleOptions })
    .version(manifest.version)
    .addHelpText('after', EXAMPLES)
    .description('Compresses files and verifies the results.')
    .option('--server <url>', 'URL of a service that compresses (or WHITTLE_SERVER, or whittle login); default: this process does')
    .option('--key <key>', 'the API key (or WHITTLE_KEY, or whittle login)')
    .option('--json', 'print one JSON object per line instead of text')
    .exitOverride()
    .enablePositionalOptions(false)
}

/** Options in help. That of `whittle` itself begins with the most used options of `compress`. */
function visibleOptions(this: Help, command: Command): Option[] {
  const own = Help.prototype.visibleOptions.call(this, command)
  const compress = command.parent === null ? command.commands.find((one) => one.name() === 'compress') : undefined
  const used = MOST_USED.map((name) => compress?.options.find(({ long }) => long === name)).filter((option) => option !== undefined)
  return [...used, ...own]
}

const MOST_USED = ['--out', '--quality', '--format', '--target-size', '--in-place']

/** Adds `compress`, the default command. `exit` receives its exit code. */
function addCompress(program: Command, exit: (code: number) => void): void {
  const command = program
    .command('compress', { isDefault: true })
    .description('compress files and folders (the default)')
    .argument(
      '[paths...]',
      'files, folders (searched recursively), patterns, - for standard input; with a service, https addresses and s3://CONNECTION/KEY',
    )
    .option('-o, --out <path>', 'output folder, file name for one input, or - for standard output (default: beside the input)')
  addCompressOptions(command)
    .addOption(
      new Option('-i, --in-place', 'replace input files with the results, and keep the inputs as name.original.ext').conflicts('out'),
    )
    .addOption(new Option('--zip <file>', 'pack all results and their receipts into one ZIP').conflicts(['out', 'inPlace', 'to', 'watch']))
    .addOption(
      new Option(
        '--to <url>',
        'with a service: address that it sends the result to by PUT, or s3://CONNECTION/PREFIX/; the result is saved here only with --out',
      ).conflicts(['inPlace', 'watch']),
    )
    .option('--to-header <header>', "header of that request, as 'Name: value'; can be repeated", parseHeader)
    .option('--no-backup', 'with --in-place: do not keep the input files')
    .option('--skip-existing', 'skip files whose results already exist')
    .option('--force', 'overwrite existing files')
    .option('--watch', 'with a folder and --out: also compress new files until Ctrl-C')
    .option('-n, --dry-run', 'print what would be compressed and where results would go')
    .option('--name <name>', 'file name for standard input, used to detect the format if the content does not tell it', 'stdin')
    .action(async (paths: string[], _options, command: Command) => {
      const settings = settingsOf(command)
      if (paths.length === 0) program.help({ error: true })
      exit(await (settings.watch ? watchOne(paths, settings) : compress(paths, settings)))
    })
}

/** Flags of `compress` or `watch`. A preset or a score decides the level unless the user does. */
function settingsOf<Flags extends CompressFlags = CompressFlags>(command: Command): Flags {
  const { quality, ...flags } = flagsOf<CompressFlags>(command)
  const isLeftToOthers = (flags.preset ?? flags.score) !== undefined && command.getOptionValueSource('quality') === 'default'
  return (isLeftToOthers || quality === undefined ? flags : { ...flags, quality }) as Flags
}

/** @throws CliError without exactly one folder, or without `--out` */
function watchOne(paths: readonly string[], { out, ...flags }: CompressFlags): Promise<number> {
  const [folder] = paths
  if (folder === undefined || paths.length > 1 || out === undefined || flags.inPlace)
    throw new CliError('usage', '--watch needs one folder and an output folder: whittle inbox/ -o smaller/ --watch')
  return watch(folder, { ...flags, out })
}

/** Adds options shared by `compress` and `watch`. */
function addCompressOptions(command: Command): Command {
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
    .option('--preset <name>', 'with a service: fields that it stores under this name, for example web or email')
    .option('-t, --target-size <size>', 'maximum size of the result, for example 500kB or 1MB', parseSize)
    .option('--score <points>', 'lowest SSIMULACRA 2 score of every picture, 50 to 95, instead of --quality', numberFrom(TARGET_SCORES))
    .option('--max-width <pixels>', 'reduce wider pictures to this width', numberFrom(PIXELS))
    .option('--max-height <pixels>', 'reduce higher pictures to this height', numberFrom(PIXELS))
    .option('--dpi <number>', 'reduce the pictures of documents to this resolution, 72 to 600', numberFrom(DOCUMENT_DPI))
    .addOption(
      new Option(
        '--effort <choice>',
        'how long to search: fast is up to 10 % larger than balanced (default), best is never larger and takes up to three times as long',
      ).choices(EFFORTS),
    )
    .addOption(new Option('-p, --password <text>', 'password to encrypt the results with').env('WHITTLE_PASSWORD'))
    .option('--password-stdin', 'read the password from the first line of standard input')
    .addOption(
      new Option(
        '--metadata <choice>',
        'metadata to remove: none (keep), all but look and rights (safe), all but the look (strip)',
      ).choices(['keep', 'safe', 'strip']),
    )
    .addOption(
      new Option(
        '--usage-rights <choice>',
        'for unsigned PDFs with Adobe Reader usage rights: "drop" removes the rights to compress them',
      ).choices(['keep', 'drop']),
    )
    .option('-j, --jobs <count>', 'number of files in parallel (default: one per core, 4 with a service)', parseCount)
    .option('--keep', 'with a service: keep tasks and results there')
    .option('--hidden', 'in folders, include files and folders whose name begins with a dot')
    .option('--no-ignore', 'in folders, include node_modules, .git and files ignored by .gitignore')
    .option('--quiet', 'print failures only')
}

function addWatch(program: Command, exit: (code: number) => void): void {
  const command = program.command('watch').description('compress new files in a folder until Ctrl-C').argument('<folder>')
  addCompressOptions(command)
    .requiredOption('-o, --out <folder>', 'output folder')
    .action(async (folder: string, _options, command: Command) => {
      exit(await watch(folder, { ...settingsOf<CompressFlags & { out: string }>(command), backup: true, name: '' }))
    })
}

/** Adds `verify`, which needs no service. `exit` receives its exit code. */
function addVerify(program: Command, exit: (code: number) => void): void {
  program
    .command('verify')
    .description('decode both files, compare them and verify the receipt; exit code 1 if a claim is false')
    .argument('<original>', 'the original file')
    .argument('<result>', 'the compressed file')
    .argument('[receipt]', 'signed (JWS) or JSON receipt; without one, the files are only compared')
    .option('--jwks <file-or-url>', 'public keys of the service, to verify the signature')
    .action(async (original: string, result: string, receipt: string | undefined, _options, command: Command) => {
      exit(await verify([original, result, ...(receipt === undefined ? [] : [receipt])], flagsOf<VerifyFlags>(command)))
    })
}

/** Adds `unpack`, which needs no service. */
function addUnpack(program: Command): void {
  program
    .command('unpack')
    .description('get the file back, byte for byte, from a .jxl that was made from a JPEG, or a .zst, .gz or .br')
    .argument('<file>', 'the compressed file')
    .option('-o, --out <path>', 'output folder or file name (default: its own name, beside the compressed file)')
    .option('--force', 'overwrite an existing file')
    .action(async (file: string, _options, command: Command) => unpack(file, flagsOf<UnpackFlags>(command)))
}

function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('run a Model Context Protocol server on standard input and output: compress, status, verify, formats')
    .argument('[folders...]', 'folders that it may read and write (default: the current folder)')
    .action(async (folders: string[], _options, command: Command) => {
      // Loaded on demand, so that other commands start faster.
      const { serveMcp } = await import('./mcp.ts')
      await serveMcp(folders, flagsOf(command))
    })
}

function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => console.log(completionScript(program, shell)))
}

function parseSize(text: string): string {
  const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(text)
  const factor = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }[(match?.[2] ?? 'b').toLowerCase()] ?? 1
  const size = match ? Math.floor(Number(match[1]) * factor) : 0
  if (size < 1) throw new InvalidArgumentError(`expected a size such as 500kB or 1MB (units B, kB, MB, GB), got "${text}".`)
  return String(size)
}
