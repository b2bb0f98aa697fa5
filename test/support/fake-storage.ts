import type { Source } from '../../src/core/model/codec.ts'
import { memorySink, type ResultSink } from '../../src/core/model/sink.ts'
import { memorySource } from '../../src/core/model/source.ts'

/** Storage mock with one result that records all calls. */
export interface FakeStorage {
  /** Stored result. `undefined`: no result was finished, or it was removed. */
  blob(): Uint8Array | undefined
  /** Calls in order: `open`, `write`, `finish`, `abort`. */
  readonly events: string[]
  open(): Promise<ResultSink>
}

/**
 * Returns a storage mock.
 * @param limit size in bytes that the sink refuses to reach
 * @param store changes a finished result, to simulate damaged storage; default: unchanged
 */
export function fakeStorage(limit: number, store: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes): FakeStorage {
  let blob: Uint8Array | undefined
  const events: string[] = []
  const open = async (): Promise<ResultSink> => {
    events.push('open')
    const sink = memorySink(limit, 'result')
    return {
      get written() {
        return sink.written
      },
      async write(chunk) {
        events.push('write')
        await sink.write(chunk)
      },
      patch: (offset, bytes) => sink.patch(offset, bytes),
      async finish(): Promise<Source> {
        events.push('finish')
        blob = store(sink.bytes().slice())
        return memorySource(blob, 'result')
      },
      async abort() {
        events.push('abort')
        blob = undefined
        await sink.abort()
      },
    }
  }
  return { blob: () => blob, events, open }
}
