#!/usr/bin/env node
// Backs up and restores the state of a stopped service: `whittle-state backup FILE --state FOLDER`.
import './node-version.mjs'

const { main } = await import('../dist/state.js')
await main()
