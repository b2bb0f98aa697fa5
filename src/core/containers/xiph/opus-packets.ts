/** Samples at 48 kHz of an Opus packet, from its first two bytes (RFC 6716, section 3). 0: the packet is empty, or tells no frames. */
export function opusPacketSamples([toc, second = 0]: Uint8Array): number {
  if (toc === undefined) return 0
  const frames = [1, 2, 2, second & 63][toc & 3]!
  return frames * frameSamples(toc >> 3)
}

/** Samples of a frame by configuration (RFC 6716, section 3.1): SILK, hybrid, CELT. */
function frameSamples(config: number): number {
  if (config < 12) return [480, 960, 1920, 2880][config & 3]!
  return config < 16 ? [480, 960][config & 1]! : [120, 240, 480, 960][config & 3]!
}
