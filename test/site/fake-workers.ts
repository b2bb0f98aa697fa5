/** Workers that tests answer by hand, and a pool whose answers come from a function. */
import type { WorkerLike } from '../../site/src/model/pool.ts'
import type { Answer, Asked, Question, Receipt } from '../../site/src/model/protocol.ts'

export class FakeWorker implements WorkerLike {
  readonly asked: Asked[] = []
  isEnded = false
  onmessage: WorkerLike['onmessage'] = null
  onerror: WorkerLike['onerror'] = null
  onmessageerror: WorkerLike['onmessageerror'] = null

  postMessage(asked: Asked): void {
    this.asked.push(asked)
  }
  terminate(): void {
    this.isEnded = true
  }
  /** Answers the last question. */
  answer(answer: Answer): void {
    this.onmessage?.({ data: { id: this.asked.at(-1)!.id, answer } } as MessageEvent)
  }
  progress(share: number): void {
    this.onmessage?.({ data: { id: this.asked.at(-1)!.id, share } } as MessageEvent)
  }
  fail(message: string): void {
    this.onerror?.({ message, preventDefault: () => undefined } as ErrorEvent)
  }
}

export const receiptOf = (file: File, after: number, more: Partial<Receipt['result']> = {}): Receipt => ({
  ...{ format: 'jpg', output_format: 'jpg', quality: 'medium', original_size: file.size, compressed_size: after },
  result: {
    outcome: 'compressed',
    fidelity: 'perceptual',
    verified: true,
    sha256: 'a'.repeat(64),
    original_sha256: 'b'.repeat(64),
    ...more,
  },
})

/** Answer of a compression to half the size. */
export const halved = ({ file }: Extract<Question, { type: 'compress' }>): Answer => {
  const result = file.slice(0, Math.floor(file.size / 2))
  return { type: 'compressed', result, name: file.name, receipt: receiptOf(file, result.size), usedMore: false }
}

/** A service without guests. */
export const NO_SERVICE = { facts: async () => null, compress: () => Promise.reject(new Error('not expected')) }
