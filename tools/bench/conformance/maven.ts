/** Programs that Maven brings once, each held against the hash it had when it was chosen. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy'

/** @param artifact `group:name:version`. @returns its jar, or why there is none */
export function jarOf(artifact: string, sha256: string): { jar: string } | { missing: string } {
  const [, name, version] = artifact.split(':')
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'whittle')
  const jar = join(cache, `${name}-${version}.jar`)
  if (!existsSync(jar)) {
    mkdirSync(cache, { recursive: true })
    const { status } = spawnSync('mvn', ['-q', '-B', PLUGIN, `-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`], { stdio: 'inherit' })
    if (status !== 0 || !existsSync(jar)) return { missing: `Maven could not bring ${artifact}` }
  }
  if (createHash('sha256').update(readFileSync(jar)).digest('hex') === sha256) return { jar }
  rmSync(jar)
  return { missing: `${jar} was another one than ${artifact}` }
}
