import create from '@jsquash/avif/codec/dec/avif_dec.js'
import engine from '../../../../wasm/avif-decoder/avif-decoder.wasm'
import { loading } from './emscripten.ts'

export type Decoder = Awaited<ReturnType<typeof create>>

/** Creates the decoder of AVIF in a memory of at least `FIRST_BYTES`. */
export const openDecoder = (memory: WebAssembly.Memory): Promise<Decoder> => create(loading(engine, memory))
