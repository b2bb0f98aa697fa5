import { type Engine, instantiate, KERNEL_MEMORIES } from '../memories/memories.ts'
import wasmModule from './visible.wasm'

/** Exports of the perceptual kernel (visible.c). */
export interface PerceptualKernel extends Engine {
  begin(width: number, height: number, channels: number, rowCapacity: number, measures: number): number
  reference_at(): number
  candidate_at(): number
  push(rows: number): number
  push_premultiplied(rows: number, background: number): number
  finish(): void
  score(): number
  worst_tile(): number
  cast(): number
  steps(): number
  bands(): number
  specks(): number
  flat_dirt(): number
}

/**
 * Creates a perceptual kernel, which the caller must retire. It uses up to 700 bytes per pixel of width (2,000 with alpha), plus the rows
 * of one push.
 */
export const createPerceptualKernel = (): PerceptualKernel => instantiate<PerceptualKernel>(wasmModule, {}, KERNEL_MEMORIES)
