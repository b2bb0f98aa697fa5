/** Turns and limits of unfinished downloads by account, address and key. */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { DownloadLimiter, type DownloadLimits, type DownloadNames } from '../../src/local/download-limiter.ts'

/** Downloads of a limiter that never waits for real time. */
class Downloads {
  readonly running: string[] = []
  readonly #limiter: DownloadLimiter
  readonly #ended = new Set<string>()
  readonly #responses = new Map<string, EventEmitter>()

  constructor(limits: Partial<DownloadLimits>) {
    this.#limiter = new DownloadLimiter({ waitMs: 2 ** 30, ...limits })
  }

  async begin(label: string, names: DownloadNames): Promise<void> {
    const outgoing = new EventEmitter()
    this.#responses.set(label, outgoing)
    void this.#limiter.admit(names, outgoing as unknown as ServerResponse).then((admitted) => admitted && this.running.push(label))
    await settled()
  }

  async end(label: string): Promise<void> {
    this.running.splice(this.running.indexOf(label), 1)
    this.#ended.add(label)
    this.#responses.get(label)!.emit('close')
    await settled()
  }

  hasEnded(label: string): boolean {
    return this.#ended.has(label)
  }

  leaveAll(): void {
    for (const outgoing of this.#responses.values()) outgoing.emit('close')
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('gives an account more than its own places only while enough stay free', async () => {
  const downloads = new Downloads({ all: 10, own: 2, reserve: 4, perOwner: 8 })
  for (let i = 0; i < 9; i++) await downloads.begin(`x${i}`, { owner: 'x', key: `k${i}` })
  expect(downloads.running).toHaveLength(6)
  for (const owner of ['y', 'z']) for (let i = 0; i < 3; i++) await downloads.begin(`${owner}${i}`, { owner, key: `${owner}${i}` })
  expect(downloads.running.slice(6), 'two of each other account at once').toEqual(['y0', 'y1', 'z0', 'z1'])
  await downloads.end('x0')
  expect(downloads.running.slice(9), 'the next of an account with fewer').toEqual([])
  await downloads.end('y0')
  expect(downloads.running.slice(8)).toEqual(['y2'])
  downloads.leaveAll()
})

it('counts the downloads of an address together, and not those of this machine', async () => {
  const downloads = new Downloads({ perOwner: 2 })
  for (let i = 0; i < 4; i++) await downloads.begin(`far${i}`, { owner: `o${i}`, key: 'k', address: '203.0.113.7' })
  for (let i = 0; i < 4; i++) await downloads.begin(`near${i}`, { owner: `o${i}`, key: 'k' })
  expect(downloads.running).toEqual(['far0', 'far1', 'near0', 'near1', 'near2', 'near3'])
  downloads.leaveAll()
})

it('gives places to accounts in turn, and within an account to addresses in turn', async () => {
  const downloads = new Downloads({ all: 3, reserve: 0, own: 3 })
  const far = (owner: string, key: string, address: string) => downloads.begin(key, { owner, key, address })
  for (const key of ['x1', 'x2', 'x3', 'x4']) await far('x', key, '203.0.113.1')
  await far('x', 'x5', '203.0.113.2')
  await far('y', 'y1', '203.0.113.1')
  for (const key of ['x1', 'x2', 'x3']) await downloads.end(key)
  expect(downloads.running).toEqual(['y1', 'x5', 'x4'])
  downloads.leaveAll()
})

it('never exceeds a limit, and lets nobody wait who fits', async () => {
  const limits = { all: 5, own: 1, reserve: 2, perOwner: 3, perKey: 2 }
  const names = fc.record({ owner: fc.constantFrom('x', 'y', 'z'), key: fc.constantFrom('1', '2') })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(names, fc.nat(20)), { maxLength: 40 }), async (steps) => {
      const downloads = new Downloads(limits)
      const owners = new Map<string, DownloadNames>()
      for (const [at, step] of steps.entries()) {
        if (typeof step === 'number') {
          const label = downloads.running[step % Math.max(1, downloads.running.length)]
          if (label !== undefined) await downloads.end(label)
        } else {
          owners.set(`${at}`, step)
          await downloads.begin(`${at}`, step)
        }
        const running = downloads.running.map((label) => owners.get(label)!)
        const most = (nameOf: (names: DownloadNames) => string) =>
          Math.max(0, ...running.map((one) => running.filter((other) => nameOf(other) === nameOf(one)).length))
        expect(running.length).toBeLessThanOrEqual(limits.all)
        expect(most(({ owner }) => owner)).toBeLessThanOrEqual(limits.perOwner)
        expect(most(({ owner, key }) => owner + key)).toBeLessThanOrEqual(limits.perKey)
      }
      // When all that run have ended, nobody waits any more.
      let [left, ended] = [owners.size, 0]
      for (const label of owners.keys()) if (downloads.hasEnded(label)) left--
      for (; downloads.running.length > 0; ended++) await downloads.end(downloads.running[0]!)
      expect(ended).toBe(left)
    }),
  )
})
