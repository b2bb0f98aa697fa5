/**
 * `node --import ./bench/stock/count-memories.ts …` with `COUNT_MEMORIES=FILE`: writes there, when the process ends, how large
 * all its Wasm memories were together (they never shrink, and what was let go counts, too: no more than this was held at once),
 * and how large the process was at its peak.
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

/** Linux's own mark where there is one: getrusage begins with the size of the process that started this one. */
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
