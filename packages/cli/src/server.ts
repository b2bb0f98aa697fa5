/** The service that a command speaks to, for as long as it speaks. */
import { findServer, type Server } from './config.ts'
import { startEmbedded } from './embedded.ts'

export async function withServer(flags: { server?: string; key?: string }, work: (server: Server) => Promise<number>): Promise<number> {
  const named = findServer(flags)
  if (named) return work(named)
  const embedded = await startEmbedded()
  try {
    return await work(embedded)
  } finally {
    embedded.stop()
  }
}
