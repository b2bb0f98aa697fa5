import { ISOLATE_BYTES } from '../service/lanes.ts'

/** Memory for Node, the bundle and its engines, in bytes. Measured: 150 MB. */
const PRESS_BYTES = 224 * 2 ** 20

/** Memory in bytes that a job may use in a press process of `memoryBytes`. At least an isolate's memory. */
export const jobMemoryBudget = (memoryBytes: number): number => Math.max(ISOLATE_BYTES, memoryBytes - PRESS_BYTES)
