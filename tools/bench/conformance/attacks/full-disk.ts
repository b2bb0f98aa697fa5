/**
 * A disk that becomes full (review S3), and its state after deletions (S6). The disk is a file system of 64 MB that this attack mounts
 * in a user namespace, so that nothing else is affected; without that right, the attack is skipped.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Attack, type Figure, MB, timed } from './attack.ts'
import { Target } from './target.ts'

const DISK_MB = 64
/** Set in the process that runs inside the namespace. */
const INSIDE = 'WHITTLE_ATTACK_DISK'
const MOUNT = ['unshare', '--user', '--map-root-user', '--mount', '--propagation', 'private']

export const fullDisk: Attack = {
  name: 'full-disk',
  title: `uploads until a disk of ${DISK_MB} MB is full, then until another program fills the rest`,
  async run() {
    const inside = process.env[INSIDE]
    if (inside !== undefined) return fill(inside)
    if (spawnSync(MOUNT[0]!, [...MOUNT.slice(1), 'true']).status !== 0) return [{ what: 'skipped: no right to mount', value: 0, unit: '' }]
    const folder = mkdtempSync(join(tmpdir(), 'whittle-disk-'))
    try {
      const script = `mount -t tmpfs -o size=${DISK_MB}M tmpfs "$0" && exec "$@"`
      const self = [process.execPath, '--import', './tools/wasm-hook.ts', process.argv[1]!, 'full-disk']
      const child = spawn(MOUNT[0]!, [...MOUNT.slice(1), 'sh', '-c', script, folder, ...self], {
        stdio: 'inherit',
        env: { ...process.env, [INSIDE]: folder },
      })
      const [code] = (await once(child, 'exit')) as [number | null]
      return [{ what: 'failed figures inside', value: code === 0 ? 0 : 1, unit: '', most: 0 }]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function fill(state: string): Promise<Figure[]> {
  await using target = await Target.start({ state })
  const { key } = await target.account('enterprise')
  const taskIds: string[] = []
  let refusal = { status: 0, reason: '' }
  for (let left = 60; left > 0 && refusal.status === 0; left--) {
    const file = randomBytes(2 * MB)
    file.write('%PDF-1.4\n')
    const response = await target.upload(key, new Uint8Array(file), 'noise.pdf')
    const body = (await response.json()) as { task_id: string; error_detail?: { type: string; reason?: string } }
    if (response.ok) taskIds.push(body.task_id)
    else refusal = { status: response.status, reason: body.error_detail?.reason ?? body.error_detail?.type ?? '' }
  }
  // Another program takes the reserve, too.
  const ballast = join(state, 'ballast')
  try {
    writeFileSync(ballast, Buffer.alloc(DISK_MB * 2 ** 20))
  } catch {
    // The disk is full now.
  }
  const wrong = await wrongDownloads(target, key, taskIds.slice(0, 3))
  await target.end('SIGKILL')
  const restartMs = await timed(() => target.restart())
  const wrongAfter = await wrongDownloads(target, key, taskIds.slice(0, 3))
  let undeleted = 0
  for (const id of taskIds) if (!(await target.call(key, `/v1/tasks/${id}`, { method: 'DELETE' })).ok) undeleted++
  rmSync(ballast, { force: true })
  const { bavail, bsize } = statfsSync(state)
  const again = await target.upload(key, new Uint8Array(Buffer.alloc(1000, 'text\n')), 'a.txt')
  return [
    { what: 'uploads of 2 MB accepted', value: taskIds.length, unit: '' },
    {
      what: `refused with ${refusal.status} ${refusal.reason}`,
      value: refusal.status === 503 && refusal.reason === 'disk_full' ? 0 : 1,
      unit: '',
      most: 0,
    },
    { what: 'service ended', value: target.isRunning ? 0 : 1, unit: '', most: 0 },
    { what: 'failed downloads on the full disk', value: wrong, unit: '', most: 0 },
    { what: 'start on the full disk', value: restartMs / 1000, unit: 's', most: 60 },
    { what: 'failed downloads after that start', value: wrongAfter, unit: '', most: 0 },
    { what: 'failed deletions on the full disk', value: undeleted, unit: '', most: 0 },
    { what: 'free again after the deletions', value: (bavail * bsize) / MB, unit: 'MB' },
    { what: `upload afterwards: ${again.status}`, value: again.ok ? 0 : 1, unit: '', most: 0 },
  ]
}

async function wrongDownloads(target: Target, key: string, taskIds: readonly string[]): Promise<number> {
  let wrong = 0
  for (const id of taskIds) {
    const response = await target.call(key, `/v1/tasks/${id}/download`).catch(() => undefined)
    const bytes = await response?.arrayBuffer().catch(() => undefined)
    if (!response?.ok || bytes?.byteLength !== 2 * MB) wrong++
  }
  return wrong
}
