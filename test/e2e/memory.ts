/**
 * What a Worker holds in memory while it works, asked of the inspector again and again: `Runtime.getHeapUsage` (V8 heap in
 * use, backing stores of ArrayBuffers), and the sizes of all Wasm memories, which V8 does not count among them. The peak of
 * the sum is what counts against 128 MB.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The most that was seen of each: an earlier job's garbage may be the highest sum, before the job's Wasm is there. */
export interface HeapPeak {
  /** Bytes of V8 objects. */
  readonly heap: number
  /** Bytes of ArrayBuffers. */
  readonly buffers: number
  /** Bytes of Wasm memories. */
  readonly wasm: number
  /** The sum of them. */
  readonly total: number
  readonly samples: number
}

interface HeapUsage {
  usedSize: number
  backingStorageSize?: number
}

/**
 * `rootPid`: the service's process (group); `worker`: its name in wrangler's configuration. An isolate that computes does not
 * answer, so samples fall into its pauses; `stop` takes a last one, which still sees every Wasm memory of the job.
 */
export async function watchHeap(rootPid: number, worker: string): Promise<{ stop(): Promise<HeapPeak> }> {
  const url = await inspectorOf(rootPid, worker)
  let session = await listening(url)
  let peak: HeapPeak = { heap: 0, buffers: 0, wasm: 0, total: 0, samples: 0 }
  let running = true

  async function sample(): Promise<void> {
    const usage = await session.call<HeapUsage>('Runtime.getHeapUsage')
    const wasm = await session.evaluate(SUM_MEMORIES)
    if (usage && wasm !== undefined) {
      const { usedSize: heap, backingStorageSize: buffers = 0 } = usage
      peak = {
        heap: Math.max(peak.heap, heap),
        buffers: Math.max(peak.buffers, buffers),
        wasm: Math.max(peak.wasm, wasm),
        total: Math.max(peak.total, heap + buffers + wasm),
        samples: peak.samples + 1,
      }
      return
    }
    // Only one session is allowed at a time, and wrangler's own may have taken ours.
    session.close()
    session = await listening(url)
  }

  const loop = (async () => {
    while (running) {
      await sample().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  return {
    async stop() {
      running = false
      await loop
      await sample()
      session.close()
      return peak
    },
  }
}

/**
 * Lists the Wasm memories of every instance made from now on. (Asking V8 for all memories, `Runtime.queryObjects`, brings
 * workerd down when a job runs.)
 */
const LIST_MEMORIES = `globalThis.__memories ??= (() => {
  const memories = []
  const { Memory, Instance } = WebAssembly
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, [module, imports = {}], newTarget) {
      const instance = Reflect.construct(target, [module, imports], newTarget)
      const values = [instance.exports, ...Object.values(imports)].flatMap((group) => Object.values(group))
      for (const value of values) if (value instanceof Memory) memories.push(new WeakRef(value))
      return instance
    },
  })
  return memories
})(); 0`
const SUM_MEMORIES =
  '[...new Set(globalThis.__memories?.map((weak) => weak.deref()))].reduce((sum, memory) => sum + (memory?.buffer.byteLength ?? 0), 0)'

/** A session that lists memories; the first ones may be cut by wrangler's. */
async function listening(url: string): Promise<Session> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const session = await open(url)
    if ((await session.evaluate(LIST_MEMORIES)) !== undefined) return session
    session.close()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`the inspector at ${url} evaluates nothing`)
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
  call<T>(method: string, params?: object): Promise<T | undefined>
  /** The value of an expression that is a number. */
  evaluate(expression: string): Promise<number | undefined>
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
  let contextId: number | undefined
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as { method?: string; params?: { context?: { id: number } } }
    if (message.method === 'Runtime.executionContextCreated') contextId = message.params?.context?.id
  })
  async function call<T>(method: string, params: object = {}): Promise<T | undefined> {
    if (socket.readyState !== WebSocket.OPEN) return undefined
    const id = ++lastId
    socket.send(JSON.stringify({ id, method, params }))
    const result = await new Promise<unknown>((resolve) => {
      waiting.set(id, resolve)
      setTimeout(resolve, ANSWER_MS)
    })
    waiting.delete(id)
    return result as T | undefined
  }
  await call('Runtime.enable')
  return {
    call,
    async evaluate(expression) {
      const answer = await call<{ result?: { value?: number } }>('Runtime.evaluate', { expression, contextId, returnByValue: true })
      return answer?.result?.value
    },
    close: () => socket.close(),
  }
}
