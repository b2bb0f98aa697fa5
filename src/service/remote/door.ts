/**
 * A Worker of the local service alone: tasks and blobs for the parent of the presses. It has a socket of its own on loopback and
 * a secret that lives as long as the process, and that no press knows.
 */
import type { WorkerEnv } from '../env.ts'
import { answer } from './answer.ts'

type DoorEnv = WorkerEnv & { readonly DOOR_SECRET: string }

export default {
  async fetch(request, env) {
    if (request.headers.get('authorization') !== `Bearer ${env.DOOR_SECRET}`) return new Response(null, { status: 403 })
    return answer(env, request)
  },
} satisfies ExportedHandler<DoorEnv>
