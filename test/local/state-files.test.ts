/** Files of the state folder: secrets, log, and the free space of their disk. */
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FreeSpace } from '../../src/local/free-space.ts'
import { LogFile } from '../../src/local/log-file.ts'
import { openReverseProxy } from '../../src/local/reverse-proxy.ts'
import { loadSecrets } from '../../src/local/secrets.ts'
import { writeStateFile } from '../../src/local/state-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-state-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the secrets', () => {
  const file = () => join(folder, 'secrets.env')

  it('are created once, for their owner only', async () => {
    const first = await loadSecrets(file())
    const text = readFileSync(file(), 'utf8')
    expect(await loadSecrets(file())).toEqual(first)
    expect(readFileSync(file(), 'utf8')).toBe(text)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(first.replaced).toBe(false)
  })

  it('are never replaced if they are damaged, and say how to go on (half-written-secrets)', async () => {
    await loadSecrets(file())
    const text = readFileSync(file(), 'utf8')
    for (let length = 0; length < text.length; length += 7) {
      writeFileSync(file(), text.slice(0, length))
      const loaded = await loadSecrets(file()).catch((error: Error) => error.message)
      // A cut at the end of a line before RECEIPT_KEYS looks like the complete file of an older release.
      if (typeof loaded === 'string') expect(loaded).toMatch(/secrets\.env is damaged: .+ Restore the file from a backup\./)
      else expect(text.slice(0, length)).toMatch(/ADMIN_TOKEN=.+\n$/)
      if (typeof loaded === 'string') expect(readFileSync(file(), 'utf8')).toBe(text.slice(0, length))
    }
    writeFileSync(file(), text.replace(/^RECEIPT_KEYS=.*$/m, 'RECEIPT_KEYS={}'))
    await expect(loadSecrets(file())).rejects.toThrow('RECEIPT_KEYS is no JSON Web Key Set')
    rmSync(file())
    mkdirSync(file())
    await expect(loadSecrets(file())).rejects.toThrow('cannot be read (EISDIR)')
  })

  it('report that they are new although the state has data', async () => {
    mkdirSync(join(folder, 'v3'))
    expect((await loadSecrets(file())).replaced).toBe(true)
    expect((await loadSecrets(file())).replaced).toBe(false)
  })
})

it('a state file is replaced as a whole, and kept after a failure', async () => {
  const path = join(folder, 'keys.json')
  await writeStateFile(path, 'one')
  await writeStateFile(path, 'two')
  expect(readFileSync(path, 'utf8')).toBe('two')
  const { ino } = statSync(path)
  await writeStateFile(path, 'two')
  expect(statSync(path).ino).toBe(ino)
  mkdirSync(`${path}.temporary`)
  await expect(writeStateFile(path, 'three')).rejects.toThrow()
  expect(readFileSync(path, 'utf8')).toBe('two')
})

it('drops log lines that cannot be written, and says how many (full-disk-ends-service)', () => {
  const path = join(folder, 'missing', 'service.log')
  const log = new LogFile(path, 60)
  log.writeLine('lost')
  log.writeLine('lost as well')
  mkdirSync(join(folder, 'missing'))
  log.writeLine('kept')
  expect(readFileSync(path, 'utf8')).toBe('{"level":"warn","event":"log_lines_dropped","lines":2}\nkept\n')
  // The log cannot be rotated while its folder is gone.
  log.writeLine('more')
  rmSync(join(folder, 'missing'), { recursive: true })
  log.writeLine('lost, too')
  log.close()
  log.writeLine('after the end')
  expect(existsSync(path)).toBe(false)
})

describe('free space', () => {
  it('is what the disk has beyond the reserve', async () => {
    expect(await new FreeSpace(folder, 0).fits(1)).toBe(true)
    expect(await new FreeSpace(folder, 0).fits(2 ** 60)).toBe(false)
    expect(await new FreeSpace(folder, 0).fits(Number.NEGATIVE_INFINITY)).toBe(true)
    expect(await new FreeSpace(join(folder, 'unknown'), 0).fits(2 ** 60)).toBe(true)
  })

  it('decides about uploads, and about nothing else', async () => {
    const asked: number[] = []
    const service = createServer((incoming, response) => {
      incoming.resume()
      response.writeHead(200, { 'x-request-id': 'req_1' }).end()
    })
    await once(service.listen(0, '127.0.0.1'), 'listening')
    const fits = async (bytes: number) => {
      if (bytes >= 0) asked.push(bytes)
      return bytes < 0
    }
    const proxy = await openReverseProxy(0, (service.address() as AddressInfo).port, { disk: { fits } })
    const send = async (method: string, path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`, {
        method,
        headers: { Authorization: 'Bearer a', ...headers },
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: 'abc' }),
      })
      return { status: response.status, body: (await response.json().catch(() => undefined)) as { error_detail: object } | undefined }
    }
    try {
      for (const path of ['/v1/compress', '/v1/batch/compress?x=1', '/v1/uploads', '/console/api/v1/compress'])
        expect((await send('POST', path)).status, path).toBe(503)
      expect((await send('PATCH', '/v1/uploads/upl_1')).body?.error_detail).toMatchObject({ type: 'overloaded', reason: 'disk_full' })
      await send('POST', '/v1/uploads', { 'Upload-Length': '12345' })
      expect(asked).toEqual([3, 3, 3, 3, 3, 12_345])
      asked.length = 0
      const guest = { Authorization: 'Bearer wgt_a' }
      expect((await send('POST', '/guests')).body?.error_detail).toMatchObject({ reason: 'disk_full' })
      expect((await send('POST', '/v1/compress', guest)).status).toBe(503)
      expect(asked, 'guests are refused while accounts still have what guests may store').toEqual([1e9, 1e9 + 3])
      expect((await send('GET', '/v1/tasks/tsk_1/download', guest)).status).toBe(200)
      for (const [method, path] of [
        ['GET', '/guests'],
        ['GET', '/v1/tasks/tsk_1/download'],
        ['DELETE', '/v1/tasks/tsk_1'],
        ['POST', '/console/api/login'],
        ['PATCH', '/console/api/keys/key_1'],
      ] as const)
        expect((await send(method, path)).status, path).toBe(200)
      expect((await send('POST', '/v1/uploads/upl_1', { 'X-HTTP-Method-Override': 'delete' })).status).toBe(200)
    } finally {
      proxy.close().closeAllConnections()
      service.close().closeAllConnections()
    }
  })
})
