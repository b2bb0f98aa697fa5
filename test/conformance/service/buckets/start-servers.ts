/**
 * Starts real servers of buckets for `servers.test.ts`: MinIO (`WHITTLE_MINIO`, else `minio` of the PATH) and Azurite (`WHITTLE_AZURITE`, else
 * `azurite-blob` of the PATH). A server that cannot be started is left out, and its tests are skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'
import { freePort } from '../../../../src/local/service.ts'
import './provided.ts'

/** Time in milliseconds that a server has to start. */
const START_MS = 30_000

export default async function startServers({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'whittle-buckets-'))
  const children: ChildProcess[] = []
  const start = async (
    command: string,
    wordsOf: (port: string) => string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const port = await freePort()
    const child = spawn(command, wordsOf(String(port)), { env: { ...process.env, ...env }, stdio: 'ignore' })
    child.on('error', () => undefined)
    children.push(child)
    return (await isListening(child, port)) ? `http://127.0.0.1:${port}` : ''
  }
  const minio = process.env['WHITTLE_MINIO'] ?? 'minio'
  const azurite = process.env['WHITTLE_AZURITE'] ?? 'azurite-blob'
  provide(
    'minio',
    await start(minio, (port) => ['server', '--quiet', '--address', `127.0.0.1:${port}`, join(folder, 'minio')], {
      MINIO_ROOT_USER: 'minio-user',
      MINIO_ROOT_PASSWORD: 'minio-password',
    }),
  )
  provide('azurite', await start(azurite, (port) => ['--silent', '--blobPort', port, '--location', join(folder, 'azurite')]))
  return async () => {
    for (const child of children) {
      if (child.pid === undefined || child.exitCode !== null) continue
      child.kill()
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
}

async function isListening(child: ChildProcess, port: number): Promise<boolean> {
  const end = Date.now() + START_MS
  while (Date.now() < end && child.exitCode === null && child.pid !== undefined) {
    const socket = connect(port, '127.0.0.1')
    const opened = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (opened) return true
    await sleep(100)
  }
  return false
}
