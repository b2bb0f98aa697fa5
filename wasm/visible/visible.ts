import { type Engine, instantiate, KERNELS } from '../memories/memories.ts'
import wasmModule from './visible.wasm'

/** What the kernel exports (visible.c). */
export interface VisibleKernel extends Engine {
  begin(width: number, height: number, channels: number, rowCapacity: number, all: number): number
  reference_at(): number
  candidate_at(): number
  push(rows: number): number
  finish(): void
  score(): number
  worst_tile(): number
  cast(): number
  steps(): number
  bands(): number
  specks(): number
  flat_dirt(): number
}

/** A kernel, to be retired at the end: up to 700 bytes per pixel of width (2,000 where it is translucent), and the rows of one push. */
export const createVisibleKernel = (): VisibleKernel => instantiate<VisibleKernel>(wasmModule, {}, KERNELS)
