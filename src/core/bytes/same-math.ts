export { acos, asin, atan, atan2, cos, exp, hypot, log, log10, pow, sin, tan } from '../../../wasm/same-math.ts'
