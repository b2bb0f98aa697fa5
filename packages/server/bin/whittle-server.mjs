#!/usr/bin/env -S node --max-semi-space-size=4
// Starts the service. `--help` lists the options.
import './node-version.mjs'

await import('../dist/start.js')
