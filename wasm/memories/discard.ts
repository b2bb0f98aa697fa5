/**
 * Frees the memory of `bytes` at once. The garbage collector frees large buffers late, so a job with many of them would fill the isolate.
 * Neither `bytes` nor other views of its buffer may be used afterwards.
 */
export function discard(bytes: ArrayBufferView): void {
  const { buffer } = bytes
  // A partial view belongs to another owner; shared buffers and WebAssembly memories cannot be detached.
  if (bytes.byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer) || buffer.detached) return
  buffer.transfer(0)
}
