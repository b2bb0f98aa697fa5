/**
 * Measures CPU seconds, including WebAssembly, for one, two and four times as many repetitions: `npm run conformance -- growth [format …]`.
 * `test/conformance/core/pipeline/repeated-structures.test.ts` does not measure WebAssembly. Needs an idle machine; the least of three
 * runs counts.
 */
import { repeatedJob } from '../../../test/support/press-repeated.ts'
import { REPEATED, type Repeated } from '../../../test/support/repeated.ts'

const MOST_RATIO = 2.2
/** Shortest CPU time in milliseconds that is compared. Below it, warm-up dominates. */
const LEAST_CPU_MS = 100
const MOST_TIMES = 64

async function cpuMs(repeated: Repeated, times: number): Promise<number> {
  const press = await repeatedJob(repeated, times)
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage()
    await press()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

const wanted = process.argv.slice(2)
let steep = 0
for (const repeated of REPEATED.filter(({ format }) => wanted.length === 0 || wanted.includes(format))) {
  let { times } = repeated
  let once = await cpuMs(repeated, times)
  while (once < LEAST_CPU_MS && times < repeated.times * MOST_TIMES) once = await cpuMs(repeated, (times *= 2))
  const [twice, fourTimes] = [await cpuMs(repeated, 2 * times), await cpuMs(repeated, 4 * times)]
  const isSteep = once >= LEAST_CPU_MS && twice > MOST_RATIO * once && fourTimes > MOST_RATIO * twice
  if (isSteep) steep++
  const ratios = `× ${(twice / once).toFixed(2)} × ${(fourTimes / twice).toFixed(2)}`
  console.log(`${isSteep ? 'STEEP' : 'ok   '} ${repeated.format}: ${repeated.what}, ${times}: ${once.toFixed(0)} ms ${ratios}`)
}
process.exit(steep > 0 ? 1 : 0)
