/** In CI a property is judged by the same examples every time, so that a change is judged and not its luck; elsewhere by new ones. */
import fc from 'fast-check'

if (process.env['CI']) fc.configureGlobal({ seed: 20_261_123 })
