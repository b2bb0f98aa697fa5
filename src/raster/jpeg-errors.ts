import { isEngineError } from '../../wasm/engine-error.ts'
/** What the JPEG engine complains about, in the house's words. Anything else comes back as it is. */
import { malformed, overBudget, unsupported } from '../codec/error.ts'
export function houseError(error: unknown, format: string): unknown {
  if (!isEngineError(error, 'jpeg')) return error
  if (error.failure === 'memory') return overBudget(error.message)
  if (error.failure === 'unsupported') return unsupported(error.message)
  if (error.failure === 'misuse') return error
  return malformed(format, 0, error.message)
}

/** Runs work of the JPEG engine; its errors come out as the house's. */
export async function inHouse<T>(format: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw houseError(error, format)
  }
}
