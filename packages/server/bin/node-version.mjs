// Ends with a sentence on an older Node, which would fail with a syntax error.
const NEEDED = 24
if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  console.error(`Whittle needs Node ${NEEDED} or newer, and this is ${process.versions.node}. Install it from https://nodejs.org.`)
  process.exit(1)
}
