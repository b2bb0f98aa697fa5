/** Bytes that are converted in one call, because the number of arguments is limited by the stack. */
const MOST_AT_ONCE = 4096

export function latin1Of(bytes: Uint8Array): string {
  let text = ''
  // biome-ignore lint/plugin: at most MOST_AT_ONCE arguments
  for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + MOST_AT_ONCE))
  return text
}
