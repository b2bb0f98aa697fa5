#!/usr/bin/env node
// Runs the bundle in the published package, and the TypeScript sources in a checkout (Node 24 strips the types).
import { existsSync } from 'node:fs'

const bundle = new URL('../dist/main.mjs', import.meta.url)
const { main } = await import(existsSync(bundle) ? bundle.href : new URL('../src/main.ts', import.meta.url).href)
process.exitCode = await main(process.argv)
