/**
 * Worker of the local service only: task and blob API for the process that starts the presses.
 * It listens on its own loopback socket. Requests need a secret that is new for each start and unknown to the presses.
 */
import type { WorkerEnv } from '../env.ts'
import { handleTaskApi } from './answer.ts'

type DoorEnv = WorkerEnv & { readonly DOOR_SECRET: string }

export default {
  async fetch(request, env) {
    if (request.headers.get('authorization') !== `Bearer ${env.DOOR_SECRET}`) return new Response(null, { status: 403 })
    return handleTaskApi(env, request)
  },
} satisfies ExportedHandler<DoorEnv>
