/** List of syncs: loaded page by page, and followed by the events of the service. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { eventsOf } from '../../../packages/clients/typescript/src/event-stream.ts'
import { call, load, Refusal } from '../api.ts'
import { t } from '../language.ts'
import { message } from '../parts.tsx'
import { isOpen, placeText, type Sync } from './types.ts'

interface Page {
  syncs: Sync[]
  next_cursor: string | null
}

/** Milliseconds before a stream that ended is opened again, and between two requests for a sync without a stream. */
const RETRY_MS = 2000
const POLL_MS = 10_000
/** Syncs with a stream. Browsers open only six connections to a server with HTTP/1.1. */
export const MAX_STREAMS = 2

export function useSyncs() {
  const [list, setList] = useState<Page>()
  const [error, setError] = useState<string>()
  const [news, setNews] = useState('')
  /** The newest list, also between two renderings. */
  const newest = useRef<Page>(undefined)
  const show = (page: Page) => {
    newest.current = page
    setList(page)
  }
  const more = async (cursor?: string) => {
    try {
      const page = await call<Page>('GET', `/v1/syncs?limit=20${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`)
      const before = cursor ? (newest.current?.syncs ?? []) : []
      show({ ...page, syncs: [...before, ...page.syncs] })
      setError(undefined)
    } catch (problem) {
      setError(message(problem))
    }
  }
  useEffect(() => void more(), [])
  /** Adds a sync at the top, or replaces it. */
  const put = (sync: Sync) => {
    const { syncs, next_cursor } = newest.current ?? { syncs: [], next_cursor: null }
    const at = syncs.findIndex(({ sync_id }) => sync_id === sync.sync_id)
    if (at >= 0 && syncs[at]?.status !== sync.status) setNews(`${routeText(sync)}: ${t(sync.status)}`)
    show({ next_cursor, syncs: at < 0 ? [sync, ...syncs] : syncs.with(at, sync) })
  }
  return { syncs: list?.syncs, cursor: list?.next_cursor, error, setError, more, put, news }
}

export const routeText = ({ source, destination }: Sync) => `${placeText(source)} → ${placeText(destination)}`

/** Keeps a sync up to date while it is open. `isStreamed`: by its events; otherwise by a request now and then. */
export function useFollowed(sync: Sync, isStreamed: boolean, put: (sync: Sync) => void): void {
  const { sync_id: id } = sync
  const isFollowed = isOpen(sync)
  useEffect(() => {
    if (!isFollowed) return
    const over = new AbortController()
    void (isStreamed ? stream : poll)(id, put, over.signal)
    return () => over.abort()
  }, [id, isFollowed, isStreamed])
}

/** Follows a sync until it ends. The service ends a stream after some minutes; then the page opens another. */
async function stream(id: string, put: (sync: Sync) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { body } = await load(`/v1/syncs/${id}/events`, signal)
      for await (const { name, data } of body ? eventsOf(body) : []) {
        if (signal.aborted) return
        put(JSON.parse(data) as Sync)
        if (name !== 'progress') return
      }
    } catch (problem) {
      if (isFinal(problem)) return
    }
    await pause(RETRY_MS, signal)
  }
}

async function poll(id: string, put: (sync: Sync) => void, signal: AbortSignal): Promise<void> {
  for (await pause(POLL_MS, signal); !signal.aborted; await pause(POLL_MS, signal)) {
    try {
      const sync = await call<Sync>('GET', `/v1/syncs/${id}`)
      if (signal.aborted) return
      put(sync)
      if (!isOpen(sync)) return
    } catch (problem) {
      if (isFinal(problem)) return
    }
  }
}

/** True for a refusal that another request would only repeat. */
const isFinal = (problem: unknown) => problem instanceof Refusal && problem.status >= 400 && problem.status < 500 && problem.status !== 429

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
