/** Options of `npm start`: parses and checks them. */
import { availableParallelism } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { IS_CHECKOUT, START_COMMAND } from './installation.ts'
import { findFfmpegSync } from './native.ts'

export interface StartOptions {
  readonly port: number
  readonly host: string
  readonly state?: string
  readonly workers: number
  /** Memory limit of one press process, in MB. */
  readonly memory: number
  /** Free space of the state folder's disk, in MB, below which uploads are refused. */
  readonly diskReserve: number
  /** Path of FFmpeg, or "none". `undefined`: the first on the PATH. */
  readonly ffmpeg?: string
  /** The https origin that clients use. `undefined`: the address it listens on. */
  readonly publicUrl?: string
  readonly callbackPorts: readonly number[]
  readonly callbackNetworks: readonly string[]
  /** CPU time without a response, in seconds. */
  readonly hangTimeout: number
  /** Loopback port of the metrics. 0: none. */
  readonly metricsPort: number
  readonly inspectorPort: number
  /** True if the CLI starts the service for itself. `.dev/keys.json` then stays as it is. */
  readonly embedded: boolean
  /** For tests: true if SIGUSR2 to `src/local/serve.ts` resets all Durable Objects. */
  readonly resettable: boolean
  /** True if an invitation to the console is printed. The first start prints one in any case. */
  readonly invite: boolean
  /** True if the front page may send files of visitors without an account. */
  readonly guests: boolean
  readonly verbose: boolean
}

/** Default state folder and file of keys, as the help shows them. */
const STATE = IS_CHECKOUT ? '.dev/state' : './whittle-state'
const KEYS_FILE = IS_CHECKOUT ? '.dev/keys.json' : `${STATE}/keys.json`

/** Parses the command line. For `--help` or an invalid option it prints the text and ends the process. */
export function startOptions(argv: readonly string[]): StartOptions {
  const cores = Math.max(1, availableParallelism() - 1)
  const { patience, ...options } = new Command(START_COMMAND)
    .description(`Runs the Whittle service on this machine. The first start creates an account and writes its keys to ${KEYS_FILE}.`)
    .option('--port <n>', 'port to listen on', wholeNumber(1, 65_535), 8787)
    .option('--host <address>', 'address to listen on; for any other than loopback, put a TLS proxy in front', '127.0.0.1')
    .option('--state <folder>', `folder for all data (default: ${STATE})`)
    .option('--workers <n>', 'number of files compressed in parallel', workers, cores)
    .option('--memory <mb>', 'memory limit of one compression process, in MB', wholeNumber(256, 65_536), 1536)
    .option('--disk-reserve <mb>', 'free disk space below which uploads are refused, in MB', wholeNumber(0, 1_048_576), 512)
    .option('--ffmpeg <path>', 'FFmpeg for 4K, HDR and AV1 films; "none" disables it (default: the first on the PATH)', ffmpegPath)
    .option('--public-url <origin>', 'https address that clients use, if a proxy is in front', httpsOrigin)
    .option('--callback-ports <n,n>', 'ports for outgoing requests in addition to 443 and 8443', ports, [])
    .option('--callback-networks <cidr,cidr>', 'networks for outgoing requests in addition to public addresses', list, [])
    .option('--hang-timeout <seconds>', 'CPU time without a response, after which the service is restarted', positiveSeconds, 60)
    .option('--metrics-port <n>', 'loopback port for Prometheus, without a token; 0 disables it', wholeNumber(0, 65_535), 0)
    .option('--invite', 'print a new invitation to the console, as the first start does', false)
    .option('--no-guests', 'compress no files of visitors without an account')
    .option('--verbose', 'print the whole log', false)
    .addOption(new Option('--patience <seconds>', 'old name of --hang-timeout').argParser(positiveSeconds).hideHelp())
    .addOption(new Option('--inspector-port <n>').argParser(wholeNumber(0, 65_535)).default(0).hideHelp())
    .addOption(new Option('--embedded').default(false).hideHelp())
    .addOption(new Option('--resettable').default(false).hideHelp())
    .addHelpText('after', `\nExample: ${START_COMMAND} --port 8080 --state /var/lib/whittle --public-url https://whittle.example.com`)
    .allowExcessArguments(false)
    .parse(argv, { from: 'user' })
    .opts<StartOptions & { readonly patience?: number }>()
  return patience === undefined ? options : { ...options, hangTimeout: patience }
}

const wholeNumber = (least: number, most: number) => (text: string) => {
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}, got "${text}".`)
}

function workers(text: string): number {
  if (text.trim() === '0')
    throw new InvalidArgumentError(
      'Expected a whole number from 1 to 256, got "0". To run codecs inside workerd, as on Cloudflare, use `npm run dev`.',
    )
  return wholeNumber(1, 256)(text)
}

function positiveSeconds(text: string): number {
  if (Number(text) > 0) return Number(text)
  throw new InvalidArgumentError(`Expected a number of seconds greater than 0, got "${text}".`)
}

function ffmpegPath(path: string): string {
  try {
    findFfmpegSync(path)
    return path
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
  }
}

function httpsOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.href === `${url.origin}/`) return url.origin
  throw new InvalidArgumentError(`Expected an https origin such as https://whittle.example.com, got "${text}".`)
}

const list = (text: string) => text.split(',').filter((part) => part !== '')
const ports = (text: string) => list(text).map(wholeNumber(1, 65_535))
