/** Walks through the packets of a file in windows. */
import type { Source } from '../../model/codec.ts'
import { PACKET_BYTES, type PacketGrid, PacketHeader } from './packet.ts'

/** Packets that are read at once: about 1 MiB. */
const WINDOW_PACKETS = 5461

/** Handles one packet. `offset`: file offset of `bytes[0]`. Returns true to stop. */
export type PacketHandler = (packet: PacketHeader, bytes: Uint8Array, offset: number) => boolean | undefined

/**
 * @param afterWindow called between reads with the share of the file that has been handled
 * @returns the number of bytes behind the last whole packet, or 0 if the handler stopped
 * @throws CodecError (malformed)
 */
export async function walkPackets(
  source: Source,
  { step, first }: PacketGrid,
  signal: AbortSignal,
  handle: PacketHandler,
  afterWindow: (share: number) => void | Promise<void> = () => undefined,
): Promise<number> {
  const header = new PacketHeader()
  let at = 0
  for (; at + first + PACKET_BYTES <= source.size; ) {
    signal.throwIfAborted()
    const bytes = await source.read(at, Math.min(WINDOW_PACKETS * step, source.size - at))
    let index = 0
    for (; index + first + PACKET_BYTES <= bytes.length; index += step) {
      header.read(bytes, index + first, at)
      if (handle(header, bytes, at)) return 0
    }
    if (index === 0) break
    at += index
    await afterWindow(Math.min(1, at / source.size))
  }
  return Math.max(0, source.size - at)
}
