import { leastOf } from '../src/core/bytes/min-max.ts'
import type { DeliveryRecord } from '../src/service/store/people.ts'
import type { Send } from '../src/service/tasks/egress.ts'
import { deliver, nextDelivery } from '../src/service/tasks/notify.ts'

/** Alert levels in percent of the storage quota, highest first. */
const LEVELS = [
  { percent: 100, type: 'storage.full' },
  { percent: 80, type: 'storage.nearly_full' },
] as const

const ADDRESS = 'alerts/url'
const TOLD = 'alerts/told'
const WAITING = 'alerts/waiting'

interface Waiting {
  readonly messageId: string
  readonly body: string
  readonly attempts: number
  /** Epoch milliseconds when the alert is sent next. */
  readonly dueAt: number
}

/** Dependencies of `send`: the HTTP function, the webhook secret, and the log of deliveries. */
interface Sending {
  readonly send: Send
  readonly secret: string
  readonly note: (delivery: DeliveryRecord) => Promise<void>
}

export interface Filling {
  readonly plan: string
  /** Stored bytes. */
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
    if (this.#url === undefined) this.#url = this.#storage.kv.get<string>(ADDRESS) ?? null
    return this.#url ?? undefined
  }

  /** Sets the webhook URL for alerts. `undefined`: disables alerts. */
  set(url: string | undefined): void {
    this.#url = url ?? null
    if (url === undefined) {
      for (const name of [ADDRESS, WAITING]) this.#storage.kv.delete(name)
    } else this.#storage.kv.put(ADDRESS, url)
  }

  /**
   * Queues an alert if the storage has reached a level.
   * @param isRefused an upload did not fit, which counts as 100 %
   */
  look(filling: () => Filling, isRefused = false): void {
    if (this.url === undefined) return
    const { plan, used, quota } = filling()
    const level = LEVELS.find(({ percent }) => (isRefused ? percent === 100 : used * 100 >= quota * percent))
    if (level === undefined) return
    const now = Date.now()
    const month = new Date(now).toISOString().slice(0, 7)
    const told = this.#storage.kv.get<{ month: string; percent: number }>(TOLD)
    if (told?.month === month && told.percent >= level.percent) return
    this.#storage.kv.put(TOLD, { month, percent: level.percent })
    const data = { plan, month, percent: level.percent, storage_used: used, storage_quota: quota }
    const body = JSON.stringify({ type: level.type, timestamp: new Date(now).toISOString(), data })
    const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`
    this.#wait([...this.#waiting, { messageId, body, attempts: 0, dueAt: now }])
  }

  /** Sends all due alerts. Called by the object's alarm. */
  async send({ send, secret, note }: Sending): Promise<void> {
    const { url } = this
    if (url === undefined) return
    for (const { messageId, body, attempts, dueAt } of this.#waiting) {
      if (dueAt > Date.now()) continue
      const attempt = attempts + 1
      const delivery = await deliver(send, { url, messageId, body }, secret)
      await note({ kind: 'alert', messageId, url, attempt, ...delivery })
      const again = nextDelivery(delivery, attempt)
      // Read the queue again: alerts may have been added during the delivery.
      const others = this.#waiting.filter((message) => message.messageId !== messageId)
      this.#wait(again === undefined ? others : [...others, { messageId, body, attempts: attempt, dueAt: again }])
    }
    this.#wait(this.#waiting)
  }

  get #waiting(): readonly Waiting[] {
    return this.#storage.kv.get<readonly Waiting[]>(WAITING) ?? []
  }

  #wait(messages: readonly Waiting[]): void {
    this.#storage.kv.put(WAITING, messages)
    if (messages.length > 0) void this.#storage.setAlarm(leastOf(messages.map(({ dueAt }) => dueAt)))
  }
}
