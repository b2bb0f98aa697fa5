/** Callbacks after Standard Webhooks 1.0.0: the message, its signature, one delivery, and when the next is due. */
import { Webhook } from 'standardwebhooks'
import type { Send } from './egress.ts'

const TIMEOUT_MS = 15_000
const ANSWER_BYTES = 300
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Pauses before the 2nd, 3rd, … delivery. */
const RETRY_AFTER_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS] as const

export interface Delivery {
  /** Epoch milliseconds. */
  readonly at: number
  /** HTTP status, or 0 when no answer came. */
  readonly status: number
  readonly ms: number
  readonly error?: string
  /** The first characters of what the receiver answered. */
  readonly answer?: string
}

export interface Message {
  readonly url: string
  readonly messageId: string
  readonly body: string
}

/** Sends the message once. 2xx is delivered; redirects are not followed and count as failures. */
export async function deliver(send: Send, { url, messageId, body }: Message, secret: string): Promise<Delivery> {
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
    // The status says whether it was delivered; what stands behind it, or does not come, is only for people to read.
    const answer = await firstCharacters(response).catch(() => '')
    return { at, status: response.status, ms: Date.now() - at, ...(answer ? { answer } : {}) }
  } catch (error) {
    return { at, status: 0, ms: Date.now() - at, error: error instanceof Error ? error.message : String(error) }
  }
}

/** A receiver may answer anything, at any length: only so much of it is read. */
async function firstCharacters(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value?.subarray(0, ANSWER_BYTES))
}

/** When to try again after `attempts` deliveries; undefined: never. Jitter of up to a fifth spreads a receiver's recovery. */
export function nextDelivery(delivery: Delivery, attempts: number, random: () => number = Math.random): number | undefined {
  if ((delivery.status >= 200 && delivery.status < 300) || delivery.status === 410) return undefined
  const pause = RETRY_AFTER_MS[attempts - 1]
  return pause === undefined ? undefined : delivery.at + delivery.ms + pause * (1 + random() / 5)
}
