/** Resolves packages from this file. The functions below load Wasm files of npm packages. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

export const require = createRequire(import.meta.url)
export const wasmBytes = (name: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(require.resolve(name)))
export const wasmModule = (name: string) => new WebAssembly.Module(wasmBytes(name))
