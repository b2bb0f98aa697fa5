#!/usr/bin/env node
// The hook is TypeScript, which older Node does not run; this says so in words.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 18)) {
  const { hook } = await import('./hook.ts')
  process.exitCode = await hook(process.argv.slice(2))
} else {
  console.error(`whittle: needs Node 22.18 or newer, this is ${process.version}. SKIP=whittle git commit … goes without it.`)
  process.exitCode = 1
}
