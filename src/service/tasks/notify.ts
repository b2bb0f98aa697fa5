/** Webhooks after Standard Webhooks 1.0.0: signature, delivery, and schedule of retries. */
import { Webhook } from 'standardwebhooks'
import type { Send } from './egress.ts'

const TIMEOUT_MS = 15_000
const MAX_RESPONSE_BYTES = 300
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Pauses in milliseconds before the 2nd, 3rd, … delivery. */
const RETRY_AFTER_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS] as const

export interface Delivery {
  /** Start of the delivery in epoch milliseconds. */
  readonly at: number
  /** HTTP status of the response. 0: no response. */
  readonly status: number
  readonly ms: number
  readonly error?: string
  /** First 300 bytes of the response body. */
  readonly answer?: string
}

export interface WebhookMessage {
  readonly url: string
  readonly messageId: string
  readonly body: string
}

/** Sends the webhook once. Only a 2xx status counts as delivered. Redirects are not followed. */
export async function deliverWebhook(send: Send, { url, messageId, body }: WebhookMessage, secret: string): Promise<Delivery> {
  const at = Date.now()
  const signature = new Webhook(secret).sign(messageId, new Date(at), body)
  try {
    const response = await send(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Whittle-Webhooks/1.0',
        'webhook-id': messageId,
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': signature,
      },
      body,
    })
    // Only the status decides if the webhook was delivered. The body is kept for people; errors while reading it are ignored.
    const answer = await readFirstBytes(response).catch(() => '')
    return { at, status: response.status, ms: Date.now() - at, ...(answer ? { answer } : {}) }
  } catch (error) {
    return { at, status: 0, ms: Date.now() - at, error: error instanceof Error ? error.message : String(error) }
  }
}

/** Reads only the first bytes of a response, because a receiver may send a body of any length. */
export async function readFirstBytes(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value?.subarray(0, MAX_RESPONSE_BYTES))
}

/**
 * Time of the next delivery in epoch milliseconds, after `attempts` deliveries. `undefined`: none.
 * Pauses are lengthened by up to 20 % at random, so that a recovering receiver is not overloaded.
 */
export function nextDeliveryAt(delivery: Delivery, attempts: number, random: () => number = Math.random): number | undefined {
  if ((delivery.status >= 200 && delivery.status < 300) || delivery.status === 410) return undefined
  const pause = RETRY_AFTER_MS[attempts - 1]
  return pause === undefined ? undefined : delivery.at + delivery.ms + pause * (1 + random() / 5)
}
