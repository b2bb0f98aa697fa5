import { minOf } from '../src/core/bytes/min-max.ts'
import type { DeliveryRecord } from '../src/service/store/people.ts'
import type { Send } from '../src/service/tasks/egress.ts'
import { deliverWebhook, nextDeliveryAt } from '../src/service/tasks/notify.ts'

/** Alert levels in percent of the storage quota, highest first. */
const LEVELS = [
  { percent: 100, type: 'storage.full' },
  { percent: 80, type: 'storage.nearly_full' },
] as const

const URL_KEY = 'alerts/url'
const LAST_ALERT_KEY = 'alerts/told'
const QUEUE_KEY = 'alerts/waiting'

interface QueuedAlert {
  readonly messageId: string
  readonly body: string
  readonly attempts: number
  /** Time in epoch milliseconds at which the alert is sent next. */
  readonly dueAt: number
}

/** Dependencies of `send`: the HTTP function, the webhook secret, and the log of deliveries. */
interface SendDependencies {
  readonly send: Send
  readonly secret: string
  readonly note: (delivery: DeliveryRecord) => Promise<void>
}

export interface StorageUsage {
  readonly plan: string
  /** Bytes that the account stores now. */
  readonly used: number
  readonly quota: number
}

/** Sends a webhook when an account's storage is 80 % full and when it is full, each at most once a month (UTC). */
export class StorageAlerts {
  readonly #storage: DurableObjectStorage
  /** Webhook URL for alerts. `null`: none set; `undefined`: not read from storage yet. Cached, because each task event needs it. */
  #url: string | null | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  get url(): string | undefined {
    if (this.#url === undefined) this.#url = this.#storage.kv.get<string>(URL_KEY) ?? null
    return this.#url ?? undefined
  }

  /** Sets the webhook URL for alerts. `undefined`: disables alerts. */
  set(url: string | undefined): void {
    this.#url = url ?? null
    if (url === undefined) {
      for (const name of [URL_KEY, QUEUE_KEY]) this.#storage.kv.delete(name)
    } else this.#storage.kv.put(URL_KEY, url)
  }

  /**
   * Queues an alert if the storage has reached a level.
   * @param isRefused an upload did not fit, which counts as 100 %
   */
  check(filling: () => StorageUsage, isRefused = false): void {
    if (this.url === undefined) return
    const { plan, used, quota } = filling()
    const level = LEVELS.find(({ percent }) => (isRefused ? percent === 100 : used * 100 >= quota * percent))
    if (level === undefined) return
    const now = Date.now()
    const month = new Date(now).toISOString().slice(0, 7)
    const lastAlert = this.#storage.kv.get<{ month: string; percent: number }>(LAST_ALERT_KEY)
    if (lastAlert?.month === month && lastAlert.percent >= level.percent) return
    this.#storage.kv.put(LAST_ALERT_KEY, { month, percent: level.percent })
    const data = { plan, month, percent: level.percent, storage_used: used, storage_quota: quota }
    const body = JSON.stringify({ type: level.type, timestamp: new Date(now).toISOString(), data })
    const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`
    this.#saveQueue([...this.#queue, { messageId, body, attempts: 0, dueAt: now }])
  }

  /** Sends all due alerts. Called by the object's alarm. */
  async send({ send, secret, note }: SendDependencies): Promise<void> {
    const { url } = this
    if (url === undefined) return
    for (const { messageId, body, attempts, dueAt } of this.#queue) {
      if (dueAt > Date.now()) continue
      const attempt = attempts + 1
      const delivery = await deliverWebhook(send, { url, messageId, body }, secret)
      await note({ kind: 'alert', messageId, url, attempt, ...delivery })
      const nextAt = nextDeliveryAt(delivery, attempt)
      // Read the queue of alerts again: other alerts may have been added during the delivery.
      const others = this.#queue.filter((message) => message.messageId !== messageId)
      this.#saveQueue(nextAt === undefined ? others : [...others, { messageId, body, attempts: attempt, dueAt: nextAt }])
    }
    this.#saveQueue(this.#queue)
  }

  get #queue(): readonly QueuedAlert[] {
    return this.#storage.kv.get<readonly QueuedAlert[]>(QUEUE_KEY) ?? []
  }

  #saveQueue(messages: readonly QueuedAlert[]): void {
    this.#storage.kv.put(QUEUE_KEY, messages)
    if (messages.length > 0) void this.#storage.setAlarm(minOf(messages.map(({ dueAt }) => dueAt)))
  }
}
