/** In CI, property tests use a fixed seed, so that a failure is caused by a change. Elsewhere they use new random examples. */
import fc from 'fast-check'

if (process.env['CI']) fc.configureGlobal({ seed: 20_261_123 })
