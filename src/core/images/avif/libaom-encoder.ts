import create from '@jsquash/avif/codec/enc/avif_enc.js'
import engine from '../../../../wasm/avif-encoder/avif-encoder.wasm'
import { loading } from './emscripten.ts'

export type Encoder = Awaited<ReturnType<typeof create>>

/** Creates the encoder of AVIF in a memory of at least `FIRST_BYTES`. */
export const openEncoder = (memory: WebAssembly.Memory): Promise<Encoder> => create(loading(engine, memory))
