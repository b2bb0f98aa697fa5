import { latin1Of } from '../bytes/latin1.ts'

/** Decodes text whose encoding the format does not fix: UTF-8 if the bytes are valid UTF-8, otherwise Latin-1. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return latin1Of(bytes)
  }
}
