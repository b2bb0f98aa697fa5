/**
 * `npm start`: the service on this machine, state kept in a folder. The first start makes a development account and writes its keys
 * to `.dev/keys.json`. `--help` lists the options.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DevelopmentKeys, inviteDeveloper, provision } from './development-account.ts'
import { openEgress } from './egress.ts'
import { removeOrphans } from './orphan-files.ts'
import { onParentDeath } from './parent-death-signal.ts'
import { networksOf } from './public-address.ts'
import { recoverAfterRestart } from './recover-after-restart.ts'
import { loadSecrets, Service, type ServiceOptions } from './service.ts'
import { startOptions } from './start-options.ts'
import { lockState } from './state-lock.ts'
import { supervise, wordsOf } from './supervise.ts'

const given = startOptions(process.argv.slice(2))
const { port, publicUrl } = given
const root = resolve(import.meta.dirname, '../..')
const state = resolve(given.state ?? join(root, '.dev/state'))
const baseUrl = `http://127.0.0.1:${port}`

try {
  await lockState(state, { pid: process.pid, port, embedded: given.embedded })
} catch (error) {
  refuse(wordsOf(error))
}
const secrets = await loadSecrets(join(state, 'secrets.env'))
const variablesFile = await openEgressFor(given.callbackPorts, given.callbackNetworks)
const options: ServiceOptions = {
  root,
  state,
  port,
  host: given.host,
  inspectorPort: given.inspectorPort,
  secretsFile: secrets.file,
  variablesFile,
  ...(publicUrl === undefined ? {} : { publicUrl }),
  verbose: given.verbose,
  hangTimeoutMs: given.hangTimeout * 1000,
  pool: {
    workers: given.workers,
    memoryBytes: given.memory * 2 ** 20,
    resettable: given.resettable,
    ...(given.ffmpeg === undefined ? {} : { ffmpeg: given.ffmpeg }),
  },
}
let service: Service | undefined
let stopping = false

async function stop(): Promise<void> {
  stopping = true
  await service?.stop()
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
onParentDeath(() => void stop())

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
  recoverAfterRestart: () => recoverAfterRestart({ baseUrl, adminToken: secrets.adminToken }),
  say: (line) => void (stopping || console.error(line)),
  pause: (ms) => (stopping ? new Promise(() => undefined) : sleep(ms)),
  now: Date.now,
}).catch((error: unknown) => refuse(wordsOf(error)))

async function greet(): Promise<void> {
  const known = await readKeys(join(state, 'keys.json'))
  const keys = await provision(baseUrl, secrets.adminToken, known)
  await writeKeys(join(state, 'keys.json'), keys)
  const isKnown = !given.embedded && (await rememberKeys(keys))
  introduce(
    keys,
    isKnown ? '.dev/keys.json' : join(state, 'keys.json'),
    await inviteDeveloper(baseUrl, secrets.adminToken, keys.account_id),
  )
}

/** Writes the keys where the tools of this checkout look for them. False: the installation is read-only. */
async function rememberKeys(keys: DevelopmentKeys): Promise<boolean> {
  try {
    await mkdir(join(root, '.dev'), { recursive: true })
    await writeKeys(join(root, '.dev/keys.json'), { ...keys, state })
    return true
  } catch {
    return false
  }
}

/** Opens the proxy through which callbacks leave the service. @returns the file of variables that names it to the Workers */
async function openEgressFor(ports: readonly number[], networks: readonly string[]): Promise<string> {
  try {
    const { url } = await openEgress({ ports, networks: networksOf(networks) })
    const file = join(state, 'egress.env')
    // The address is a secret: it goes wherever it is given.
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
