/**
 * Frees the memory of `bytes` at once. The garbage collector frees large buffers late, so a job with many of them would fill the isolate.
 * Neither `bytes` nor other views of its buffer may be used afterwards.
 */
export function discard(bytes: ArrayBufferView): void {
  const { buffer } = bytes
  // A partial view belongs to another owner; shared buffers and WebAssembly memories cannot be detached. A detached buffer has no bytes.
  if (bytes.byteLength !== buffer.byteLength || buffer.byteLength === 0 || !(buffer instanceof ArrayBuffer)) return
  if ('transfer' in buffer) buffer.transfer(0)
  else moved(buffer)
}

/** Moves the bytes into a new buffer and detaches `buffer`. Node 20 and Safari 17.3 have no `transfer`. */
export function moved(buffer: ArrayBuffer): ArrayBuffer {
  return 'transfer' in buffer ? buffer.transfer() : structuredClone(buffer, { transfer: [buffer] })
}
