import edge from '../../src/index.ts'
import press from '../../src/press.ts'

export * from '../../src/index.ts'
export { Media } from '../../src/media.ts'
export { Press } from '../../src/press.ts'

export default { ...edge, queue: press.queue }
