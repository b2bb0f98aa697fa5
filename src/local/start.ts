/**
 * `npm start`: the service on this machine, state kept in a folder. The first start makes a development account and writes its keys
 * to `.dev/keys.json`. `--help` tells what it can be told.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DevelopmentKeys, inviteDeveloper, provision } from './development-account.ts'
import { openEgress } from './egress.ts'
import { removeOrphans } from './orphan-files.ts'
import { networksOf } from './public-address.ts'
import { lookAround } from './recover-after-restart.ts'
import { loadSecrets, Service, type ServiceOptions } from './service.ts'
import { startOptions } from './start-options.ts'
import { lockState } from './state-lock.ts'
import { supervise, wordsOf } from './supervise.ts'

const told = startOptions(process.argv.slice(2))
const { port, publicUrl } = told
const root = resolve(import.meta.dirname, '../..')
const state = resolve(told.state ?? join(root, '.dev/state'))
const baseUrl = `http://127.0.0.1:${port}`

try {
  await lockState(state, { pid: process.pid, port, embedded: told.embedded })
} catch (error) {
  refuse(wordsOf(error))
}
const secrets = await loadSecrets(join(state, 'secrets.env'))
const variablesFile = await openWayOut(told.callbackPorts, told.callbackNetworks)
const options: ServiceOptions = {
  root,
  state,
  port,
  host: told.host,
  inspectorPort: told.inspectorPort,
  secretsFile: secrets.file,
  variablesFile,
  ...(publicUrl === undefined ? {} : { publicUrl }),
  verbose: told.verbose,
  patienceMs: told.patience * 1000,
  ...(told.workers > 0
    ? {
        pool: {
          workers: told.workers,
          memoryBytes: told.memory * 2 ** 20,
          resettable: told.resettable,
          ...(told.ffmpeg === undefined ? {} : { ffmpeg: told.ffmpeg }),
        },
      }
    : {}),
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

const fire = (which: 'sweep' | 'look') => void service?.fireCron(which).catch(() => undefined)
setInterval(() => fire('sweep'), 3_600_000)
setInterval(() => fire('look'), 600_000)
const tidy = () =>
  void removeOrphans(state, Date.now()).then(
    ({ files, bytes }) => files > 0 && console.error(`Files that no object names: ${files} removed, ${bytes} bytes.`),
    (error: unknown) => console.error(`Files that no object names could not be looked for: ${wordsOf(error)}`),
  )
tidy()
setInterval(tidy, 86_400_000)

await supervise({
  make: () => {
    service = new Service(options)
    return service
  },
  greet,
  lookAround: () => lookAround({ baseUrl, adminToken: secrets.adminToken }),
  say: (line) => void (stopping || console.error(line)),
  pause: (ms) => (stopping ? new Promise(() => undefined) : sleep(ms)),
  now: Date.now,
}).catch((error: unknown) => refuse(wordsOf(error)))

async function greet(): Promise<void> {
  const known = await readKeys(join(state, 'keys.json'))
  const keys = await provision(baseUrl, secrets.adminToken, known)
  await writeKeys(join(state, 'keys.json'), keys)
  const isKnown = !told.embedded && (await rememberKeys(keys))
  introduce(
    keys,
    isKnown ? '.dev/keys.json' : join(state, 'keys.json'),
    await inviteDeveloper(baseUrl, secrets.adminToken, keys.account_id),
  )
}

/** Where the tools of this checkout look for them. false: it is an installation that is only read. */
async function rememberKeys(keys: DevelopmentKeys): Promise<boolean> {
  try {
    await mkdir(join(root, '.dev'), { recursive: true })
    await writeKeys(join(root, '.dev/keys.json'), { ...keys, state })
    return true
  } catch {
    return false
  }
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

function refuse(why: string): never {
  console.error(why)
  process.exit(1)
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

function introduce(keys: DevelopmentKeys, file: string, invitation: string): void {
  const key = keys.keys.enterprise
  const url = publicUrl ?? baseUrl
  console.log(`
Whittle listens on ${baseUrl}${publicUrl === undefined ? '' : `, for ${publicUrl}`}

  key       ${key}   (others: ${file})
  console   ${invitation}
  API       ${url}/docs

Make a photo smaller, then fetch it from the download_url of the answer:

  curl -H 'Authorization: Bearer ${key}' -F file=@docs/photo.jpg ${url}/v1/compress
  curl -H 'Authorization: Bearer ${key}' -OJ DOWNLOAD_URL

Ctrl-C stops it.`)
}
