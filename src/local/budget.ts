import { ISOLATE_BYTES } from '../service/lanes.ts'

/** Node, the bundle and its engines; 150 MB were measured. */
const PRESS_BYTES = 224 * 2 ** 20

/** What a job may use of a press that may take so much; never less than in an isolate. */
export const budgetOf = (memoryBytes: number): number => Math.max(ISOLATE_BYTES, memoryBytes - PRESS_BYTES)
