/**
 * `npm start`: runs the service on this machine, with its data in a state folder. The first start creates a development account and
 * writes its keys to `.dev/keys.json`. `--help` lists the options.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DevelopmentKeys, inviteDeveloper, provisionDevelopmentAccount } from './development-account.ts'
import { buildDocsSite, DOCS_BUILD_COMMAND } from './docs-site.ts'
import { openEgress } from './egress.ts'
import { MIN_AGE_MS, removeEmptiedObjects } from './emptied-objects.ts'
import { DEFAULT_STATE, IS_CHECKOUT, ROOT as root, SAMPLE } from './installation.ts'
import { openMetricsPort } from './observability/endpoints.ts'
import { OperatingMetrics } from './observability/metrics.ts'
import { type RemovedFiles, removeOrphans } from './orphan-files.ts'
import { onParentDeath } from './parent-death-signal.ts'
import { parseNetworks } from './public-address.ts'
import { recoverAfterRestart } from './recover-after-restart.ts'
import { loadSecrets } from './secrets.ts'
import { Service, type ServiceOptions } from './service.ts'
import { startOptions } from './start-options.ts'
import { writeStateFile } from './state-file.ts'
import { lockState } from './state-lock.ts'
import { errorMessage, supervise } from './supervise.ts'
import { welcomeText } from './welcome.ts'

const flags = startOptions(process.argv.slice(2))
const { port, publicUrl } = flags
const state = resolve(flags.state ?? DEFAULT_STATE)
const baseUrl = `http://127.0.0.1:${port}`
// Browsers create passkeys for `localhost`, but not for an address.
const origin = publicUrl ?? `http://localhost:${port}`

if (!flags.embedded)
  console.log(
    !IS_CHECKOUT || existsSync(join(root, '.dev/build/built.json'))
      ? `Whittle starts on port ${port}.`
      : `Whittle starts on port ${port}. The first start builds it, which takes about 15 seconds.`,
  )

try {
  await lockState(state, { pid: process.pid, port, embedded: flags.embedded })
} catch (error) {
  exitWithError(errorMessage(error))
}
const secrets = await loadSecrets(join(state, 'secrets.env')).catch((error: unknown) => exitWithError(errorMessage(error)))
if (secrets.replaced)
  console.error(
    `${secrets.file} was missing and is new. Older receipts can no longer be verified, and jobs that wait with a password fail.`,
  )
const variables = {
  ...(await openEgressFor(flags.callbackPorts, flags.callbackNetworks)),
  ...(flags.guests ? { GUESTS: 'on' } : {}),
}
const metrics = new OperatingMetrics(state)
if (flags.metricsPort > 0)
  await openMetricsPort(flags.metricsPort, { metrics: () => metrics.text() }).catch((error: unknown) => exitWithError(errorMessage(error)))
const options: ServiceOptions = {
  root,
  state,
  port,
  host: flags.host,
  inspectorPort: flags.inspectorPort,
  secretsFile: secrets.file,
  variables,
  ...(publicUrl === undefined ? {} : { publicUrl }),
  verbose: flags.verbose,
  metrics,
  metricsToken: secrets.adminToken,
  diskReserveBytes: flags.diskReserve * 2 ** 20,
  hangTimeoutMs: flags.hangTimeout * 1000,
  pool: {
    workers: flags.workers,
    memoryBytes: flags.memory * 2 ** 20,
    resettable: flags.resettable,
    ...(flags.ffmpeg === undefined ? {} : { ffmpeg: flags.ffmpeg }),
  },
}
let service: Service | undefined
let stopping = false

/** Lets running work end. A second signal stops at once, and so does the end of a command that started the service for itself. */
async function stop(): Promise<void> {
  const atOnce = stopping || flags.embedded
  stopping = true
  await (atOnce ? service?.stop() : service?.drain())
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
onParentDeath(() => void stop())

const fire = (which: 'sweep' | 'look') => void service?.fireCron(which).catch(() => undefined)
setInterval(() => fire('sweep'), 3_600_000)
setInterval(() => fire('look'), 600_000)
const report = (what: string, removed: Promise<RemovedFiles>) =>
  removed.then(
    ({ files, bytes }) => void (files > 0 && console.error(`Removed ${files} ${what} from the state folder (${bytes} bytes).`)),
    (error: unknown) => console.error(`Could not search the state folder for ${what}: ${errorMessage(error)}`),
  )
const removeOrphanFiles = (minAgeMs?: number) => void report('orphaned files', removeOrphans(state, Date.now(), minAgeMs))
const removeEmptied = (olderThan: number) => report('files of deleted tasks', removeEmptiedObjects(state, olderThan))
// Now no workerd has these files open.
await removeEmptied(Number.POSITIVE_INFINITY)
removeOrphanFiles(0)
setInterval(() => removeOrphanFiles(), 86_400_000)
setInterval(() => void removeEmptied(Date.now() - MIN_AGE_MS), 3_600_000)

await supervise({
  createService: () => {
    service = new Service(options)
    return service
  },
  welcome: createAccountAndWelcome,
  recoverAfterRestart: () => recoverAfterRestart({ baseUrl, adminToken: secrets.adminToken }),
  log: (line) => void (stopping || console.error(line)),
  pause: (ms) => (stopping ? new Promise(() => undefined) : sleep(ms)),
  now: Date.now,
}).catch((error: unknown) => exitWithError(errorMessage(error)))

async function createAccountAndWelcome(): Promise<void> {
  const existing = await readKeys(join(state, 'keys.json'))
  const keys = await provisionDevelopmentAccount(baseUrl, secrets.adminToken, existing)
  await writeKeys(join(state, 'keys.json'), keys)
  const inProject = IS_CHECKOUT && !flags.embedded && (await writeProjectKeys(keys))
  const isFirstStart = existing?.account_id !== keys.account_id
  const invitation = isFirstStart || flags.invite ? await inviteDeveloper(baseUrl, secrets.adminToken, keys.account_id) : undefined
  const keysFile = inProject ? '.dev/keys.json' : join(state, 'keys.json')
  console.log(welcomeText({ origin, key: keys.keys.enterprise, keysFile, invitation, sample: SAMPLE }))
  if (IS_CHECKOUT && !flags.embedded) void buildDocs()
}

async function buildDocs(): Promise<void> {
  const reason = await buildDocsSite(root)
  if (reason !== undefined && !stopping)
    console.error(`The pages of /docs could not be built. Repeat with ${DOCS_BUILD_COMMAND}\n${reason}`)
}

/** Writes the keys to `.dev/keys.json`, where this checkout's tools expect them. @returns false if the installation is read-only */
async function writeProjectKeys(keys: DevelopmentKeys): Promise<boolean> {
  try {
    await mkdir(join(root, '.dev'), { recursive: true })
    await writeKeys(join(root, '.dev/keys.json'), { ...keys, state })
    return true
  } catch {
    return false
  }
}

/** Opens the proxy for outgoing requests. @returns variables of the Workers. The address is a secret: it lets anyone use the proxy. */
async function openEgressFor(ports: readonly number[], networks: readonly string[]): Promise<Record<string, string>> {
  try {
    const { url } = await openEgress({ ports, networks: parseNetworks(networks) })
    return { EGRESS: url, CALLBACK_PORTS: ports.join(), ORIGIN: baseUrl }
  } catch (error) {
    exitWithError(errorMessage(error))
  }
}

function exitWithError(reason: string): never {
  console.error(reason)
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
  await writeStateFile(file, `${JSON.stringify(keys, null, 2)}\n`)
}
