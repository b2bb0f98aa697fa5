/** The service of a command that needs one, and what compresses files: the configured service, or this process. */
import { availableParallelism } from 'node:os'
import { findServer, type Server } from './config.ts'
import type { Engine } from './engine.ts'
import { LocalEngine } from './local-engine.ts'
import { RemoteEngine } from './remote-engine.ts'
import { CliError } from './trouble.ts'

interface Flags {
  server?: string
  key?: string
}

/** Flags that decide what compresses. */
interface EngineFlags extends Flags {
  jobs?: number
  keep?: boolean
  preset?: string
  to?: string
}

/** Returns the configured service. @throws CliError if there is none */
export function requireServer(flags: Flags): Server {
  const server = findServer(flags)
  if (server) return server
  throw new CliError('usage', 'No server is configured. Run whittle login, set WHITTLE_SERVER and WHITTLE_KEY, or pass --server and --key.')
}

/**
 * Opens the engine: the configured service, or threads of this process.
 * @param files number of files, which limits the number of threads
 */
export function openEngine(flags: EngineFlags, files: number): Engine {
  const server = findServer(flags)
  if (server) return new RemoteEngine(server)
  if (flags.keep) throw new CliError('usage', '--keep needs a service. Pass --server, or run whittle login.')
  if (flags.preset) throw new CliError('usage', '--preset needs a service. Pass --server, or run whittle login.')
  if (flags.to) throw new CliError('usage', '--to needs a service. Pass --server, or run whittle login.')
  return new LocalEngine(Math.max(1, Math.min(files, flags.jobs ?? availableParallelism())))
}

export async function withEngine(flags: EngineFlags, files: number, work: (engine: Engine) => Promise<number>): Promise<number> {
  const engine = openEngine(flags, files)
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}
