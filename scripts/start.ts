/**
 * `npm start`: the service on this machine, state kept in a folder. The first start makes a development account and writes its keys
 * to `.dev/keys.json`. Flags: --port N, --state DIR, --workers N, --memory MB, --public-url URL, --inspector-port N,
 * --patience SECONDS, --callback-ports N,N, --callback-networks CIDR,CIDR, --verbose.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type DevelopmentKeys, inviteDeveloper, provision } from './development-account.ts'
import { openEgress } from './egress.ts'
import { networksOf } from './public-address.ts'
import { loadSecrets, Service, type ServiceOptions } from './service.ts'
import { lockState } from './state-lock.ts'
import { supervise, wordsOf } from './supervise.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8787' },
    state: { type: 'string' },
    'public-url': { type: 'string' },
    'inspector-port': { type: 'string' },
    // The command line's own service: the keys in `.dev` stay those of the one that a person started.
    embedded: { type: 'boolean', default: false },
    // Seconds of processor time without any answer, after which the service hangs and is started again.
    patience: { type: 'string', default: '60' },
    // Where callbacks may go beside ports 443 and 8443 of public addresses.
    'callback-ports': { type: 'string', default: '' },
    'callback-networks': { type: 'string', default: '' },
    // Processes that compress, side by side. 0: inside workerd, as on Cloudflare.
    workers: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
    // Megabytes that one of them may take.
    memory: { type: 'string', default: '1536' },
    verbose: { type: 'boolean', default: false },
  },
})

const root = resolve(import.meta.dirname, '..')
const state = resolve(values.state ?? join(root, '.dev/state'))
const baseUrl = `http://127.0.0.1:${values.port}`
const publicUrl = values['public-url'] === undefined ? undefined : originOf(values['public-url'])

const patienceMs = Number(values.patience) * 1000
if (!(patienceMs > 0)) refuse(`--patience takes a number of seconds (got '${values.patience}').`)
const workers = wholeNumber('workers', values.workers, 0, 256)
const memoryMb = wholeNumber('memory', values.memory, 256, 65_536)

try {
  await lockState(state, { pid: process.pid, port: Number(values.port), embedded: values.embedded })
} catch (error) {
  refuse(wordsOf(error))
}
const secrets = await loadSecrets(join(state, 'secrets.env'))
const variablesFile = await openWayOut(listOf(values['callback-ports']).map(portOf), listOf(values['callback-networks']))
const options: ServiceOptions = {
  root,
  state,
  port: Number(values.port),
  inspectorPort: Number(values['inspector-port'] ?? 0),
  secretsFile: secrets.file,
  variablesFile,
  ...(publicUrl === undefined ? {} : { publicUrl }),
  verbose: values.verbose,
  patienceMs,
  ...(workers > 0 ? { pool: { workers, memoryBytes: memoryMb * 2 ** 20 } } : {}),
}
let service: Service | undefined
let stopping = false

async function stop(): Promise<void> {
  stopping = true
  await service?.stop()
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

// npm does not always pass signals on before it dies: an orphan stops by itself.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) void stop()
}, 500).unref()

setInterval(() => void service?.fireCron().catch(() => undefined), 3_600_000)

await supervise({
  make: () => {
    service = new Service(options)
    return service
  },
  greet,
  say: (line) => void (stopping || console.error(line)),
  pause: (ms) => (stopping ? new Promise(() => undefined) : sleep(ms)),
  now: Date.now,
}).catch((error: unknown) => refuse(wordsOf(error)))

async function greet(): Promise<void> {
  const known = await readKeys(join(state, 'keys.json'))
  const keys = await provision(baseUrl, secrets.adminToken, known)
  await writeKeys(join(state, 'keys.json'), keys)
  if (!values.embedded) {
    await mkdir(join(root, '.dev'), { recursive: true })
    await writeKeys(join(root, '.dev/keys.json'), { ...keys, state })
  }
  introduce(keys, await inviteDeveloper(baseUrl, secrets.adminToken, keys.account_id))
}

/** What goes out of the service is judged in this process. @returns the file that tells the Workers where */
async function openWayOut(ports: readonly number[], networks: readonly string[]): Promise<string> {
  try {
    const { url } = await openEgress({ ports, networks: networksOf(networks) })
    const file = join(state, 'egress.env')
    // The address is a secret: it goes wherever it is told.
    await writeFile(file, `EGRESS=${url}\nCALLBACK_PORTS=${ports.join()}\n`, { mode: 0o600 })
    return file
  } catch (error) {
    refuse(wordsOf(error))
  }
}

function listOf(text: string): string[] {
  return text.split(',').filter((part) => part !== '')
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  refuse(`--callback-ports takes ports with commas, like 9443,10443 (got '${text}').`)
}

function refuse(why: string): never {
  console.error(why)
  process.exit(1)
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  refuse(`--${flag} takes a whole number from ${least} to ${most} (got '${text}').`)
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.href === `${url.origin}/`) return url.origin
  refuse(`--public-url takes the https address that clients will use, like https://whittle.example.com (got '${text}').`)
}

async function readKeys(file: string): Promise<DevelopmentKeys | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as DevelopmentKeys
  } catch {
    return undefined
  }
}

async function writeKeys(file: string, keys: DevelopmentKeys & { state?: string }): Promise<void> {
  await writeFile(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
}

function introduce(keys: DevelopmentKeys, invitation: string): void {
  const key = keys.keys.enterprise
  const url = publicUrl ?? baseUrl
  console.log(`
Whittle listens on ${baseUrl}${publicUrl === undefined ? '' : `, for ${publicUrl}`}

  key       ${key}   (others: .dev/keys.json)
  console   ${invitation}
  API       ${url}/docs

Make a photo smaller, then fetch it from the download_url of the answer:

  curl -H 'Authorization: Bearer ${key}' -F file=@docs/photo.jpg ${url}/v1/compress
  curl -H 'Authorization: Bearer ${key}' -OJ DOWNLOAD_URL

Ctrl-C stops it.`)
}
