/**
 * Runs a Node program and ends as it does. When whoever started it is gone, even by SIGKILL, standard input ends, and with it the
 * whole process group: nothing keeps a port.
 */
import { spawn } from 'node:child_process'

const child = spawn(process.execPath, process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit'] })
child.on('exit', (code) => process.exit(code ?? 1))
process.stdin.on('close', () => process.kill(-process.pid, 'SIGKILL')).resume()
// The child gets these as well, and takes its time to end well.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined)
