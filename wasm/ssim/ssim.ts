import { type Engine, instantiate, KERNEL_MEMORIES } from '../memories/memories.ts'
import wasmModule from './ssim.wasm'

/** Exports of the SSIM kernel (ssim.c). */
export interface SsimKernel extends Engine {
  begin(width: number, channels: number, rowCapacity: number, sixteenBits: number): number
  reference_at(): number
  candidate_at(): number
  push(rows: number): void
  push_over(rows: number, white: number): void
  finish(): void
  ssim(): number
  luma_mse(): number
  colour_mse(): number
}

/**
 * Creates an SSIM kernel, which the caller must retire. It uses up to 240 bytes per pixel of width (470 with alpha), plus the rows of one
 * push.
 */
export const createSsimKernel = (): SsimKernel => instantiate<SsimKernel>(wasmModule, {}, KERNEL_MEMORIES)
