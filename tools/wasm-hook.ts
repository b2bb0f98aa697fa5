/** Module hook for `node --import ./tools/wasm-hook.ts …`: imports `.wasm` files as compiled modules, as Workers do. */
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('.wasm')) return nextLoad(url, context)
    const source = `import { readFileSync } from 'node:fs'
export default new WebAssembly.Module(readFileSync(new URL(${JSON.stringify(url)})))`
    return { format: 'module', shortCircuit: true, source }
  },
})
