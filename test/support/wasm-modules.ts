import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/** Vite plug-in that imports `.wasm` files as compiled modules, as Workers do. */
export const wasmModules: Plugin = {
  name: 'wasm-modules',
  enforce: 'pre',
  load(id) {
    if (!id.endsWith('.wasm')) return null
    readFileSync(id)
    return `import { readFileSync } from 'node:fs'
export default new WebAssembly.Module(readFileSync(${JSON.stringify(id)}))`
  },
}
