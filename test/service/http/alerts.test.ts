/** Tests of storage alerts: signed, once a month per level, retried if the receiver does not answer. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, vi } from 'vitest'
import { StorageAlerts } from '../../../durable-objects/storage-alerts.ts'
import type { DeliveryRecord } from '../../../src/service/store/people.ts'
import { signedIn } from './browser.ts'
import { errorOf } from './client.ts'
import type { Account } from './worker.ts'

const SECRET = `whsec_${btoa('x'.repeat(24))}`

interface Sent {
  readonly url: string
  readonly body: string
  readonly headers: Record<string, string>
}

/** Runs `work` in the storage of a separate Durable Object. */
async function inStorage(
  work: (alerts: StorageAlerts, send: (status: number) => Promise<Sent[]>, storage: DurableObjectStorage) => Promise<void>,
): Promise<void> {
  const stub = env.ACCOUNTS.getByName(`acc_${crypto.randomUUID().slice(0, 20)}`) as unknown as DurableObjectStub<Account>
  await runInDurableObject(stub, async (_, { storage }) => {
    const alerts = new StorageAlerts(storage)
    const send = async (status: number) => {
      const sent: Sent[] = []
      const receive = async (url: string, request: RequestInit) => {
        sent.push({ url, body: String(request.body), headers: request.headers as Record<string, string> })
        return new Response('', { status })
      }
      await alerts.send({ send: receive, secret: SECRET, note: async () => undefined })
      return sent
    }
    await work(alerts, send, storage)
    await storage.deleteAlarm()
  })
}
const types = (sent: Sent[]) => sent.map(({ body }) => (JSON.parse(body) as { type: string }).type)

describe('an alert', () => {
  it('is sent at 80 % and at 100 % of the storage, each once a month', () =>
    inStorage(async (alerts, send) => {
      alerts.check(() => ({ plan: 'pro', used: 900, quota: 1000 }))
      expect(await send(200), 'nobody is to be told').toEqual([])
      alerts.set('https://hooks.example.com/')
      alerts.check(() => ({ plan: 'pro', used: 799, quota: 1000 }))
      expect(await send(200)).toEqual([])
      for (const used of [800, 850, 999]) alerts.check(() => ({ plan: 'pro', used, quota: 1000 }))
      const [first] = await send(200)
      expect(first).toMatchObject({ url: 'https://hooks.example.com/' })
      expect(new Webhook(SECRET).verify(first!.body, first!.headers)).toMatchObject({
        type: 'storage.nearly_full',
        data: { plan: 'pro', percent: 80, storage_used: 800, storage_quota: 1000 },
      })
      alerts.check(() => ({ plan: 'pro', used: 950, quota: 1000 }), true)
      alerts.check(() => ({ plan: 'pro', used: 1000, quota: 1000 }))
      alerts.check(() => ({ plan: 'pro', used: 850, quota: 1000 }))
      expect(types(await send(200)), 'what found no room counts as full').toEqual(['storage.full'])
      vi.useFakeTimers({ now: Date.now() + 32 * 86_400_000, toFake: ['Date'] })
      alerts.check(() => ({ plan: 'pro', used: 850, quota: 1000 }))
      expect(types(await send(200)), 'in the next month').toEqual(['storage.nearly_full'])
      vi.useRealTimers()
    }))

  it('is retried later, and removed together with its address', () =>
    inStorage(async (alerts, send) => {
      alerts.set('https://hooks.example.com/')
      alerts.check(() => ({ plan: 'pro', used: 800, quota: 1000 }))
      const [first] = await send(500)
      expect(await send(200), 'not at once').toEqual([])
      vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] })
      const [again] = await send(200)
      expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
      expect(await send(200)).toEqual([])
      alerts.check(() => ({ plan: 'pro', used: 1000, quota: 1000 }))
      alerts.set(undefined)
      expect(await send(200)).toEqual([])
      vi.useRealTimers()
    }))

  it('causes no reads for accounts without an alert address', () =>
    inStorage(async (_, __, storage) => {
      const alerts = new StorageAlerts(storage)
      alerts.check(() => ({ plan: 'pro', used: 0, quota: 1000 }))
      const read = vi.spyOn(storage.kv, 'get')
      alerts.check(() => ({ plan: 'pro', used: 1000, quota: 1000 }))
      expect(read).not.toHaveBeenCalled()
    }))

  it('is configured by admins for public addresses, and is listed among the deliveries', async () => {
    const { accountId, account, browser } = await signedIn('pro')
    const refused = await browser.ask('POST', '/callbacks/alerts', { url: 'https://10.0.0.1/' })
    expect((await errorOf(refused)).error_detail.type).toBe('unsafe_callback_url')
    await account.put({ ...(await account.get())!, storageBytes: 1000 })
    await browser.json('POST', '/callbacks/alerts', { url: 'http://127.0.0.1:9/' })
    expect(await browser.json('GET', '/callbacks')).toMatchObject({ alert_url: 'http://127.0.0.1:9/', deliveries: [] })
    expect(await account.admit('tsk_x', 2000)).toMatchObject({ ok: false })
    await runDurableObjectAlarm(env.ACCOUNTS.getByName(accountId) as unknown as DurableObjectStub<Account>)
    const { deliveries } = await browser.json<{ deliveries: Pick<DeliveryRecord, 'url'>[] }>('GET', '/callbacks')
    expect(deliveries).toMatchObject([{ url: 'http://127.0.0.1:9/', attempt: 1, kind: 'alert', task_id: null }])
    expect((await (await signedIn('free')).browser.ask('POST', '/callbacks/alerts', { url: null })).status).toBe(403)
  })
})
