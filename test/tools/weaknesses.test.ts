/** Known vulnerabilities of packages and engines, from a fake OSV service. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, vi } from 'vitest'
import { questions, reportVulnerabilities } from '../../tools/checks/audit-dependencies.ts'
import { billOfMaterials } from '../../tools/release/sbom.ts'

const dependencies = questions(billOfMaterials().components)

async function auditWith(vulnerabilities: Readonly<Record<string, string>>, explained = {}, status = 200) {
  type Query = { package: { name: string } }
  const server = createServer(async (request, response) => {
    const { queries } = JSON.parse((await request.toArray()).join('')) as { queries: Query[] }
    const results = queries.map(({ package: { name } }) => (vulnerabilities[name] ? { vulns: [{ id: vulnerabilities[name] }] } : {}))
    response.writeHead(status).end(JSON.stringify({ results }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
  const code = await reportVulnerabilities(dependencies, explained, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  log.mockRestore()
  server.close()
  return { code, lines }
}

it('queries all npm packages, and the crates and Debian sources of engines', () => {
  const names = dependencies.queries.map((one) => `${one.package.ecosystem} ${one.package.name}`)
  expect(names).toEqual(
    expect.arrayContaining(['npm hono', 'npm @jsquash/avif', 'Debian:13 ffmpeg', 'Debian:12 lame', 'Debian:13 zlib', 'crates.io resvg']),
  )
  expect(names, 'our own workspace is in no registry').not.toContain('npm @whittle-app/cli')
  expect(dependencies.queries.filter((one) => one.package.name === 'openjpeg2').map(({ version }) => version)).toEqual([
    '2.5.3-2.1~deb13u2',
  ])
  expect(dependencies.others.join()).toMatch(/avif/)
})

it('exits with 1 for an unexplained vulnerability, 0 for explained ones, and 2 without a response', async () => {
  expect((await auditWith({})).code).toBe(0)
  const unexplained = await auditWith({ lame: 'CVE-1' })
  expect(unexplained).toMatchObject({ code: 1, lines: [expect.stringMatching(/^lame 3.100-6: CVE-1: not explained/), expect.any(String)] })
  expect((await auditWith({ lame: 'CVE-1' }, { 'CVE-1': 'only its decoder' })).code).toBe(0)
  expect(await auditWith({}, {}, 500)).toMatchObject({ code: 2, lines: [expect.stringMatching(/^Not checked/)] })
})
