/** The service that a command uses: the configured one, or an embedded one that stops after the command. */
import { findServer, type Server } from './config.ts'
import { startEmbedded } from './embedded.ts'

export async function withServer(flags: { server?: string; key?: string }, work: (server: Server) => Promise<number>): Promise<number> {
  const configured = findServer(flags)
  if (configured) return work(configured)
  const embedded = await startEmbedded()
  try {
    return await work(embedded)
  } finally {
    embedded.stop()
  }
}
