import { type Engine, instantiate, KERNELS } from '../memories/memories.ts'
import wasmModule from './ssim.wasm'

/** What the kernel exports (ssim.c). */
export interface SsimKernel extends Engine {
  begin(width: number, channels: number, rowCapacity: number, sixteenBits: number): number
  reference_at(): number
  candidate_at(): number
  push(rows: number): void
  finish(): void
  ssim(): number
  luma_mse(): number
  colour_mse(): number
}

/** A kernel, to be retired at the end: up to 240 bytes per pixel of width (470 with alpha), and the rows of one push. */
export const createSsimKernel = (): SsimKernel => instantiate<SsimKernel>(wasmModule, {}, KERNELS)
