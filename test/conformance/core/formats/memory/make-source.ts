/**
 * Writes a source of a measurement into a file: `make-source.ts WHAT SIZE PATH`. A process of its own, because the memory that encoders
 * take to make a source must not count as memory of the measured job.
 */
import { writeFileSync } from 'node:fs'
import { FILES } from './sources.ts'

const [what = '', size = '', path = ''] = process.argv.slice(2)
writeFileSync(path, await FILES[what]!(Number(size)))
