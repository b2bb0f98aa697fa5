/**
 * Frees the memory of bytes at once. Large buffers live outside the heap, where a collector notices them late: a job that
 * makes many would fill the isolate with garbage. Nobody may use `bytes`, or any other view of its buffer, afterwards.
 */
export function discard(bytes: ArrayBufferView): void {
  const { buffer } = bytes
  // A small view of something large is somebody else's; a shared buffer or that of a Wasm memory cannot be taken away.
  if (bytes.byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer) || buffer.detached) return
  buffer.transfer(0)
}
