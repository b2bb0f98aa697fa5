/** Downloads Java programs with Maven once, and checks their SHA-256. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy'

/**
 * Returns the jar of an artifact, or why it is missing.
 * @param artifact `group:name:version`
 * @param sha256 expected hash, hexadecimal
 */
export function jarOf(artifact: string, sha256: string): { jar: string } | { missing: string } {
  const [, name, version] = artifact.split(':')
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'whittle')
  const jar = join(cache, `${name}-${version}.jar`)
  if (!existsSync(jar)) {
    mkdirSync(cache, { recursive: true })
    const { status } = spawnSync('mvn', ['-q', '-B', PLUGIN, `-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`], { stdio: 'inherit' })
    if (status !== 0 || !existsSync(jar)) return { missing: `Maven could not download ${artifact}` }
  }
  if (createHash('sha256').update(readFileSync(jar)).digest('hex') === sha256) return { jar }
  rmSync(jar)
  return { missing: `the SHA-256 of ${jar} is not the expected one of ${artifact}; the file was removed` }
}
