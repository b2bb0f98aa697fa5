/** Compresses a picture with a common tool to the same size, for comparison. */
import { spawnSync } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import { extname } from 'node:path'

interface Peer {
  readonly name: string
  /** Quality settings, from the smallest result to the largest. */
  readonly settings: readonly number[]
  make(from: string, to: string, setting: number): boolean
}

const run = (command: string, args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

const JPEG: Peer = {
  name: 'libjpeg, progressive',
  settings: Array.from({ length: 95 }, (_, i) => i + 5),
  // cjpeg cannot read JPEG, so djpeg decodes it first.
  make: (from, to, quality) =>
    run('sh', ['-c', 'djpeg "$1" | cjpeg -quality "$2" -progressive -optimize > "$3"', 'sh', from, String(quality), to]),
}
const PNG: Peer = {
  name: 'pngquant --speed 1',
  settings: Array.from({ length: 255 }, (_, i) => i + 2),
  make: (from, to, colours) => run('pngquant', ['--speed', '1', '--force', '--output', to, String(colours), from]),
}
const PEERS: { readonly [type: string]: Peer | undefined } = { '.jpg': JPEG, '.jpeg': JPEG, '.png': PNG }

/** Writes the tool's largest result of at most `bytes`. @returns the tool's name; `undefined`: no result is small enough */
export function peerAt(from: string, bytes: number, to: string): string | undefined {
  const peer = PEERS[extname(from)]
  if (!peer) return undefined
  const isSmallEnough = (index: number) => peer.make(from, to, peer.settings[index]!) && statSync(to).size <= bytes
  let [low, high] = [-1, peer.settings.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (isSmallEnough(middle)) low = middle
    else high = middle
  }
  if (low >= 0 && isSmallEnough(low)) return peer.name
  rmSync(to, { force: true })
  return undefined
}
