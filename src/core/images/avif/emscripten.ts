import { createInstance, type EngineImport } from '../../../../wasm/loading/engine-files.ts'

/** Initial memory in bytes that the Emscripten modules are linked with. */
export const FIRST_BYTES = 16 * 1024 * 1024

/** Options for an Emscripten factory: instantiates a compiled module with the given memory. */
export const loading = (engine: EngineImport, memory: WebAssembly.Memory) => ({
  noInitialRun: true,
  instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => {
    const instance = createInstance(engine, { ...imports, env: { memory } })
    receive(instance)
    return instance.exports
  },
})
