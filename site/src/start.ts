/** Workers of the page. They start when the first file arrives. */
import { GuestService } from './guests/guest-service.ts'
import { language } from './language.ts'
import { Desk } from './model/desk.ts'
import { Pool, workerCount } from './model/pool.ts'

/** Address of the worker's script. The bundler replaces it. */
declare const WORKER_URL: string

const worker = () => new Worker(WORKER_URL, { type: 'module' })

/** Assumed gigabytes of memory where the browser does not say. */
const ASSUMED_GB = { phone: 2, desktop: 8 } as const
/** Gigabytes from which large jobs may run. */
const ROOMY_GB = 4

export function startDesk(): Desk {
  const { deviceMemory } = navigator as { readonly deviceMemory?: number }
  const memoryGb = deviceMemory ?? ASSUMED_GB[matchMedia('(pointer: coarse)').matches ? 'phone' : 'desktop']
  const scout = new Pool(worker, 1)
  const pool = new Pool(worker, workerCount(navigator.hardwareConcurrency, memoryGb))
  return new Desk({ pool, scout, guests: new GuestService(), language, isRoomy: memoryGb >= ROOMY_GB })
}
