/**
 * Tests the pre-commit hook of the last commit with pre-commit from PyPI: `npm run conformance -- pre-commit`. The first `git commit` is
 * stopped and leaves a smaller file. After staging it, the second commit succeeds.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startService } from '../../../test/e2e/running.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'whittle-pre-commit-'))
const [venv, work] = [join(folder, 'venv'), join(folder, 'work')]
const service = await startService()
try {
  execFileSync('python3', ['-m', 'venv', venv])
  execFileSync(join(venv, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', 'pre-commit==4.7.0'])
  execFileSync('git', ['init', '--quiet', work])
  const rev = git(root, 'rev-parse', 'HEAD').trim()
  const repository = git(root, 'rev-parse', '--show-toplevel').trim()
  const hooks = `repos:\n  - repo: ${repository}\n    rev: ${rev}\n    hooks:\n      - id: whittle\n        args: [--quality, low]\n`
  writeFileSync(join(work, '.pre-commit-config.yaml'), hooks)
  cpSync(join(root, 'docs/photo.jpg'), join(work, 'photo.jpg'))
  execFileSync(join(venv, 'bin/pre-commit'), ['install'], { cwd: work })
  git(work, 'add', '.')
  const first = await commit()
  const large = statSync(join(work, 'photo.jpg')).size
  git(work, 'add', '.')
  const second = await commit()
  const isFine = first.status === 1 && /files were modified by this hook/.test(first.output) && large < 120_000 && second.status === 0
  console.log(
    isFine ? `pre-commit: photo.jpg was reduced to ${large} bytes and committed` : `pre-commit:\n${first.output}\n${second.output}`,
  )
  process.exitCode = isFine ? 0 : 1
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' })
}

/** Runs `git commit` asynchronously, because this process may serve the requests of the hook. */
function commit(): Promise<{ status: number; output: string }> {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  const env = {
    ...process.env,
    WHITTLE_SERVER: service.baseUrl,
    WHITTLE_KEY: service.keys.enterprise,
    PRE_COMMIT_HOME: join(folder, 'cache'),
  }
  return new Promise((done) =>
    execFile('git', [...person, 'commit', '-m', 'a photo'], { cwd: work, env, encoding: 'utf8' }, (error, out, err) =>
      done({ status: Number(error?.code ?? 0), output: out + err }),
    ),
  )
}
