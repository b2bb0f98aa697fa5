import { JpegError } from '../../wasm/jpeg/jpeg.ts'
import { MalformedFile, OverBudget, UnsupportedFeature } from '../codec/codec.ts'

/** What the JPEG engine complains about, in the house's words. Anything else comes back as it is. */
export function houseError(error: unknown, format: string): unknown {
  if (!(error instanceof JpegError)) return error
  if (error.trouble === 'memory') return new OverBudget(error.message)
  if (error.trouble === 'unsupported') return new UnsupportedFeature(error.message)
  if (error.trouble === 'misuse') return error
  return new MalformedFile(format, 0, error.message)
}

/** Runs work of the JPEG engine; its errors come out as the house's. */
export async function inHouse<T>(format: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw houseError(error, format)
  }
}
