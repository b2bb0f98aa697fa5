/**
 * `npm run conformance -- isolates [--corpus DIR] [--only jpg,pdf] [--each 3] [--quality medium] [--most-kb 3000]`: files of a corpus
 * through presses as processes and through workerd alone; results, outcomes and reasons must be the same, SHA-256 by SHA-256 (what is
 * encrypted, with its random salts, by size). Of each folder of files the first few in the order of their size, of those that an
 * isolate has room for.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { provision } from '../../../src/local/development-account.ts'
import { loadSecrets, Service } from '../../../src/local/service.ts'
import { startWranglerDev } from '../../wrangler-dev.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const { values } = parseArgs({
  options: {
    corpus: { type: 'string', default: join(ROOT, '../shared/corpus') },
    only: { type: 'string', default: '' },
    each: { type: 'string', default: '3' },
    quality: { type: 'string', default: 'medium' },
    'most-kb': { type: 'string', default: '3000' },
  },
})
const MEMORY_BYTES = 1536 * 2 ** 20
/** Sent at a time. */
const BATCH = 8

interface Task {
  readonly task_id: string
  readonly status: string
  readonly compressed_size?: number
  readonly result?: { readonly outcome: string; readonly reason?: string; readonly sha256: string; readonly steps?: readonly string[] }
  readonly error?: unknown
}

/** The smallest first, then in equal steps of rank up to the largest: all sizes, not the smallest alone. */
function chosen(): string[] {
  const only = values.only.split(',').filter(Boolean)
  const folders = new Map<string, string[]>()
  for (const name of globSync('**/*', { cwd: values.corpus, exclude: ['hostile/**'] })) {
    const file = join(values.corpus, name)
    const stat = statSync(file)
    if (!stat.isFile() || stat.size > Number(values['most-kb']) * 1000 || /\.(md|json)$/.test(name)) continue
    const folder = dirname(name)
    if (only.length > 0 && !only.includes(basename(folder))) continue
    folders.set(folder, [...(folders.get(folder) ?? []), file])
  }
  return [...folders.values()].flatMap((files) => {
    const bySize = files.sort((a, b) => statSync(a).size - statSync(b).size || (a < b ? -1 : 1))
    const count = Math.min(Number(values.each), bySize.length)
    return Array.from({ length: count }, (_, i) => bySize[Math.floor(((i + 1) * bySize.length) / count) - 1]!)
  })
}

interface Started {
  readonly baseUrl: string
  readonly adminToken: string
  stop(): Promise<void>
}

async function startPresses(state: string): Promise<Started> {
  const { file: secretsFile, adminToken } = await loadSecrets(join(state, 'secrets.env'))
  const pool = { workers: 2, memoryBytes: MEMORY_BYTES, ffmpeg: 'none' }
  const service = new Service({ root: ROOT, state, port: 0, inspectorPort: 0, secretsFile, verbose: false, pool })
  await service.start()
  return { baseUrl: `http://127.0.0.1:${service.port}`, adminToken, stop: () => service.stop() }
}

/** What came of each file, in words: the same words are the same result. */
async function through(files: readonly string[], name: string, start: (state: string) => Promise<Started>): Promise<string[]> {
  const state = mkdtempSync(join(tmpdir(), 'whittle-isolates-'))
  const service = await start(state)
  try {
    const base = service.baseUrl
    const { keys } = await provision(base, service.adminToken, undefined)
    const headers = { authorization: `Bearer ${keys.enterprise}` }
    const said: string[] = []
    for (let at = 0; at < files.length; at += BATCH) {
      said.push(...(await Promise.all(files.slice(at, at + BATCH).map((file) => one(base, headers, file)))))
      process.stdout.write(`\r${name}: ${said.length} of ${files.length}`)
    }
    console.log()
    return said
  } finally {
    await service.stop()
    rmSync(state, { recursive: true, force: true })
  }
}

async function one(base: string, headers: Record<string, string>, file: string): Promise<string> {
  const body = new FormData()
  body.append('quality', values.quality)
  body.append('file', new Blob([readFileSync(file)]), basename(file))
  const sent = await fetch(`${base}/v1/compress`, { method: 'POST', headers: { ...headers, prefer: 'respond-async' }, body })
  if (!sent.ok) return `${sent.status}`
  let task = (await sent.json()) as Task
  while (task.status === 'pending' || task.status === 'processing')
    task = (await (await fetch(`${base}/v1/tasks/${task.task_id}`, { headers: { ...headers, prefer: 'wait=30' } })).json()) as Task
  const { outcome, reason = '', sha256, steps = [] } = task.result ?? {}
  const bytes = steps.some((step) => step.startsWith('encrypted')) ? `encrypted, ${task.compressed_size} bytes` : sha256
  return task.result ? `${outcome} ${reason} ${bytes}` : `${task.status} ${JSON.stringify(task.error)}`
}

const files = chosen()
const [presses, workerd] = [await through(files, 'presses', startPresses), await through(files, 'workerd', startWranglerDev)]
const others = files.flatMap((file, i) =>
  presses[i] === workerd[i] ? [] : [`${relative(values.corpus, file)}: ${presses[i]}, in workerd ${workerd[i]}`],
)
for (const other of others) console.error(other)
const compressed = presses.filter((said) => said.startsWith('compressed')).length
console.log(`${files.length} files, ${compressed} compressed, ${others.length} different`)
process.exitCode = others.length > 0 || compressed === 0 ? 1 : 0
