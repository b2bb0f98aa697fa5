export { crc32 } from '../../../wasm/crc32.ts'
