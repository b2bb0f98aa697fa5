/**
 * What a Worker holds in memory while it works: the inspector's `Runtime.getHeapUsage` (V8 heap in use, and the backing
 * stores of ArrayBuffers and Wasm memories), asked again and again; the peak is what counts against 128 MB.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface HeapPeak {
  /** Bytes of V8 objects. */
  readonly heap: number
  /** Bytes of ArrayBuffers and Wasm memories. */
  readonly buffers: number
  /** The highest sum of both that was seen. */
  readonly total: number
  readonly samples: number
}

interface HeapUsage {
  usedSize: number
  backingStorageSize?: number
}

/** `rootPid`: the service's process (group); `worker`: its name in wrangler's configuration. */
export async function watchHeap(rootPid: number, worker: string): Promise<{ stop(): Promise<HeapPeak> }> {
  const url = await inspectorOf(rootPid, worker)
  let session = await open(url)
  let peak: HeapPeak = { heap: 0, buffers: 0, total: 0, samples: 0 }
  let running = true
  const loop = (async () => {
    while (running) {
      const usage = await session.call<HeapUsage>('Runtime.getHeapUsage')
      if (usage) {
        const { usedSize, backingStorageSize = 0 } = usage
        const total = usedSize + backingStorageSize
        peak = { ...(total > peak.total ? { heap: usedSize, buffers: backingStorageSize, total } : peak), samples: peak.samples + 1 }
      } else {
        // Only one session is allowed at a time, and wrangler's own may have taken ours.
        session.close()
        session = await open(url)
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  return {
    async stop() {
      running = false
      await loop
      session.close()
      return peak
    },
  }
}

async function inspectorOf(rootPid: number, worker: string): Promise<string> {
  for (const port of descendants(rootPid).flatMap(listeningPorts)) {
    const targets = await fetch(`http://127.0.0.1:${port}/json`, { signal: AbortSignal.timeout(5000) })
      .then((answer) => answer.json() as Promise<unknown>)
      .catch(() => undefined)
    if (!Array.isArray(targets)) continue
    const target = (targets as { id: string; webSocketDebuggerUrl: string }[]).find(({ id }) => id === `core:user:${worker}`)
    if (target) return target.webSocketDebuggerUrl
  }
  throw new Error(`no inspector for ${worker} under process ${rootPid}`)
}

/** The process and all of its children's children. Linux. */
function descendants(rootPid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It ended meanwhile.
    }
  }
  const family = [rootPid]
  for (const pid of family) for (const [child, parent] of parents) if (parent === pid) family.push(child)
  return family
}

/** Ports of 127.0.0.1 that a process listens on (proc_pid_net(5): state 0A, address in hex). */
function listeningPorts(pid: number): number[] {
  try {
    const inodes = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)))
    return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === '0A' && inodes.has(`socket:[${columns[9]}]`))
      .map((columns) => Number.parseInt(columns[1]!.split(':')[1]!, 16))
  } catch {
    return []
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** Answers that do not come within this time are given up. */
const ANSWER_MS = 15_000

interface Session {
  /** undefined: the session was cut, or does not answer. */
  call<T>(method: string): Promise<T | undefined>
  close(): void
}

async function open(url: string): Promise<Session> {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error(`the inspector refuses ${url}`)), { once: true })
  })
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (message.id !== undefined) waiting.get(message.id)?.(message.result)
  })
  socket.addEventListener('close', () => {
    for (const resolve of waiting.values()) resolve(undefined)
  })
  let lastId = 0
  return {
    async call<T>(method: string) {
      if (socket.readyState !== WebSocket.OPEN) return undefined
      const id = ++lastId
      socket.send(JSON.stringify({ id, method }))
      const result = await new Promise<unknown>((resolve) => {
        waiting.set(id, resolve)
        setTimeout(resolve, ANSWER_MS)
      })
      waiting.delete(id)
      return result as T | undefined
    },
    close: () => socket.close(),
  }
}
