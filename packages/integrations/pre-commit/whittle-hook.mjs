#!/usr/bin/env node
// Checks the Node version first, because older versions cannot run the hook's TypeScript.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 18)) {
  const { hook } = await import('./hook.ts')
  process.exitCode = await hook(process.argv.slice(2))
} else {
  console.error(`whittle: needs Node 22.18 or newer, found ${process.version}. To commit without this hook: SKIP=whittle git commit …`)
  process.exitCode = 1
}
