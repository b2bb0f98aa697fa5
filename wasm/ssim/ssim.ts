import { type Engine, instantiate, KERNELS } from '../memories/memories.ts'
import wasmModule from './ssim.wasm'

/** What the kernel exports (ssim.c). */
export interface SsimKernel extends Engine {
  begin(width: number, channels: number, rowCapacity: number, sixteenBits: number): number
  reference_at(): number
  candidate_at(): number
  push(rows: number, counts: number): void
  ssim(): number
  luma_squares(): number
  colour_squares(): number
}

/** A kernel, to be retired at the end: up to 225 bytes per pixel of width (420 with alpha), and the rows of one push. */
export const createSsimKernel = (): SsimKernel => instantiate<SsimKernel>(wasmModule, {}, KERNELS)
