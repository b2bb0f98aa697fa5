/**
 * Counts Wasm memory: `node --import ./tools/bench/stock/count-memories.ts …` with `COUNT_MEMORIES=FILE`. When the process ends, FILE
 * contains the size of all its Wasm memories and its peak resident memory. Freed memories count, too, so the size is an upper bound.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const memories = new Set<WebAssembly.Memory>()
const { Memory, Instance, instantiate } = WebAssembly

function count(instance: WebAssembly.Instance): WebAssembly.Instance {
  for (const value of Object.values(instance.exports)) if (value instanceof Memory) memories.add(value)
  return instance
}

WebAssembly.Memory = new Proxy(Memory, {
  construct(target, [descriptor]: [WebAssembly.MemoryDescriptor]) {
    const memory = new target(descriptor)
    memories.add(memory)
    return memory
  },
})
WebAssembly.Instance = new Proxy(Instance, {
  construct: (target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports?]) => count(new target(module, imports)),
})
WebAssembly.instantiate = new Proxy(instantiate, {
  async apply(target, self, parameters: [WebAssembly.Module, WebAssembly.Imports?]) {
    const made = (await Reflect.apply(target, self, parameters)) as WebAssembly.Instance | WebAssembly.WebAssemblyInstantiatedSource
    count(made instanceof Instance ? made : made.instance)
    return made
  },
})

export interface Memories {
  readonly wasmMiB: number
  readonly peakMiB: number
}

/** Returns the peak from /proc on Linux, because getrusage starts with the size of the parent process. */
function peakMiB(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const kib = /VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  return Math.round(Number(kib) / 1024)
}

process.on('exit', () => {
  const bytes = [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0)
  const found: Memories = { wasmMiB: bytes / 2 ** 20, peakMiB: peakMiB() }
  if (process.env['COUNT_MEMORIES']) writeFileSync(process.env['COUNT_MEMORIES'], JSON.stringify(found))
})
