/**
 * Compares press processes with workerd on corpus files: `npm run conformance -- isolates [--corpus DIR] [--only jpg,pdf] [--each 3]
 * [--quality medium] [--most-kb 3000]`. Outcomes, reasons and SHA-256 of the results must be equal. Encrypted results have random salts
 * and are compared by size. Takes some files of each folder, evenly spaced by size, up to `--most-kb`.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { provisionDevelopmentAccount } from '../../../src/local/development-account.ts'
import { loadSecrets } from '../../../src/local/secrets.ts'
import { Service } from '../../../src/local/service.ts'
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
/** Number of files that are sent at the same time. */
const BATCH = 8

interface Task {
  readonly task_id: string
  readonly status: string
  readonly compressed_size?: number
  readonly result?: { readonly outcome: string; readonly reason?: string; readonly sha256: string; readonly steps?: readonly string[] }
  readonly error?: unknown
}

/** Returns files of each folder, evenly spaced by size, including the largest. */
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

/** Compresses the files with a service and returns compressOne line per file. Equal lines mean equal results. */
async function compressAll(files: readonly string[], name: string, start: (state: string) => Promise<Started>): Promise<string[]> {
  const state = mkdtempSync(join(tmpdir(), 'whittle-isolates-'))
  const service = await start(state)
  try {
    const base = service.baseUrl
    const { keys } = await provisionDevelopmentAccount(base, service.adminToken, undefined)
    const headers = { authorization: `Bearer ${keys.enterprise}` }
    const lines: string[] = []
    for (let at = 0; at < files.length; at += BATCH) {
      lines.push(...(await Promise.all(files.slice(at, at + BATCH).map((file) => compressOne(base, headers, file)))))
      process.stdout.write(`\r${name}: ${lines.length} of ${files.length}`)
    }
    console.log()
    return lines
  } finally {
    await service.stop()
    rmSync(state, { recursive: true, force: true })
  }
}

async function compressOne(base: string, headers: Record<string, string>, file: string): Promise<string> {
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
const [presses, workerd] = [await compressAll(files, 'presses', startPresses), await compressAll(files, 'workerd', startWranglerDev)]
const others = files.flatMap((file, i) =>
  presses[i] === workerd[i] ? [] : [`${relative(values.corpus, file)}: ${presses[i]}, in workerd ${workerd[i]}`],
)
for (const other of others) console.error(other)
const compressed = presses.filter((lines) => lines.startsWith('compressed')).length
console.log(`${files.length} files, ${compressed} compressed, ${others.length} different`)
process.exitCode = others.length > 0 || compressed === 0 ? 1 : 0
