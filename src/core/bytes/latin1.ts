/** Bytes as letters of the same numbers (ISO 8859-1; `TextDecoder('latin1')` is windows-1252), however many they are. */
const MOST_AT_ONCE = 4096

export function latin1Of(bytes: Uint8Array): string {
  let text = ''
  // biome-ignore lint/plugin: at most MOST_AT_ONCE
  for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + MOST_AT_ONCE))
  return text
}
