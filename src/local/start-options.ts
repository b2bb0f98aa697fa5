/** The options of `npm start`, parsed and checked. */
import { availableParallelism } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { findNative } from './native.ts'

export interface StartOptions {
  readonly port: number
  readonly host: string
  readonly state?: string
  readonly workers: number
  /** Megabytes. */
  readonly memory: number
  /** Path of FFmpeg, or "none". */
  readonly ffmpeg?: string
  /** An https origin. */
  readonly publicUrl?: string
  readonly callbackPorts: readonly number[]
  readonly callbackNetworks: readonly string[]
  /** Seconds of processor time. */
  readonly hangTimeout: number
  readonly inspectorPort: number
  /** The command line's own service: the keys in `.dev` stay those of the one that a person started. */
  readonly embedded: boolean
  /** For tests: SIGUSR2 to `src/local/serve.ts` resets all Durable Objects. */
  readonly resettable: boolean
  readonly verbose: boolean
}

/** Ends the process if help was asked for or an option is wrong, after it has printed the help or the reason. */
export function startOptions(argv: readonly string[]): StartOptions {
  const cores = Math.max(1, availableParallelism() - 1)
  const { patience, ...options } = new Command('npm start --')
    .description('Serves Whittle on this machine. The first start makes an account and writes its keys to .dev/keys.json.')
    .option('--port <n>', 'where it listens', whole(1, 65_535), 8787)
    .option('--host <address>', 'on which address; anything but loopback wants a proxy with a certificate before it', '127.0.0.1')
    .option('--state <folder>', 'where everything is kept (default: .dev/state)')
    .option('--workers <n>', 'files that are compressed at the same time', workers, cores)
    .option('--memory <mb>', 'what one of them may take', whole(256, 65_536), 1536)
    .option('--ffmpeg <path>', 'for 4K, HDR and AV1 films; none: without (default: the one on the PATH)', program)
    .option('--public-url <origin>', 'the https address that clients use, where a proxy stands before it', origin)
    .option('--callback-ports <n,n>', 'where callbacks may go beside ports 443 and 8443', ports, [])
    .option('--callback-networks <cidr,cidr>', 'where callbacks may go beside public addresses', list, [])
    .option('--hang-timeout <seconds>', 'processor time without an answer, after which it is started again', positive, 60)
    .option('--verbose', 'prints the whole log', false)
    .addOption(new Option('--patience <seconds>', 'old name of --hang-timeout').argParser(positive).hideHelp())
    .addOption(new Option('--inspector-port <n>').argParser(whole(0, 65_535)).default(0).hideHelp())
    .addOption(new Option('--embedded').default(false).hideHelp())
    .addOption(new Option('--resettable').default(false).hideHelp())
    .addHelpText('after', '\nExample: npm start -- --port 8080 --state /var/lib/whittle --public-url https://whittle.example.com')
    .allowExcessArguments(false)
    .parse(argv, { from: 'user' })
    .opts<StartOptions & { readonly patience?: number }>()
  return patience === undefined ? options : { ...options, hangTimeout: patience }
}

const whole = (least: number, most: number) => (text: string) => {
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new InvalidArgumentError(`It takes a whole number from ${least} to ${most}.`)
}

function workers(text: string): number {
  if (text.trim() === '0') throw new InvalidArgumentError('Codecs inside workerd, as on Cloudflare, are `npm run dev` now.')
  return whole(1, 256)(text)
}

function positive(text: string): number {
  if (Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('It takes a number of seconds.')
}

function program(path: string): string {
  try {
    findNative(path)
    return path
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
  }
}

function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.href === `${url.origin}/`) return url.origin
  throw new InvalidArgumentError('It takes the https address that clients will use, like https://whittle.example.com.')
}

const list = (text: string) => text.split(',').filter((part) => part !== '')
const ports = (text: string) => list(text).map(whole(1, 65_535))
