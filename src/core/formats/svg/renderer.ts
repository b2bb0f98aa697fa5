/**
 * Draws SVG with resvg (MPL-2.0, wasm/resvg). No file is ever fetched and no fonts are loaded, so text is not drawn. A call cannot be
 * interrupted from outside. Therefore `tools/wasm/meter-wasm.ts` adds an instruction counter to the Wasm code. Memory is limited to 64 MB.
 */
import { EngineError, isEngineError } from '../../../../wasm/engine-error.ts'
import { createInstance } from '../../../../wasm/loading/engine-files.ts'
import wasmModule from '../../../../wasm/resvg/resvg.wasm'
import { enlargedCanvasOf } from './enlarged-viewport.ts'
import { MAX_ENLARGED_PIXELS } from './tuning.ts'

interface Exports {
  memory: WebAssembly.Memory
  /** Instruction budget. Every function call and loop iteration decrements it; below zero the call ends with a trap. */
  work_left: { value: bigint }
  /** Returns memory for a text of so many bytes, which `open` reads. */
  text_room(bytes: number): number
  /** Parses the text. 0: it is no drawing, and there is a message. */
  open(): number
  width(): number
  height(): number
  /** Draws the open drawing and returns the address of its pixels. 0: it has none, and there is a message. */
  draw(zoom: number): number
  drawn_width(): number
  drawn_height(): number
  message_at(): number
  message_length(): number
}

/** Copies a rendering, to keep it longer than until the next call of its renderer. */
export const copyOf = ({ pixels, ...size }: Rendering): Rendering => ({ ...size, pixels: new Uint8Array(pixels) })

/** Rendered pixels as in tiny-skia: RGBA with colours premultiplied by alpha. */
export interface Rendering {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Trap message after a Rust panic, an unexpected state in resvg. */
const PANIC = 'unreachable'
interface Canvas {
  readonly wide: number
  readonly high: number
}

/** Factors for the canvas size, in the order they are tried if resvg fails on the normal canvas. */
const NORMAL_CANVAS: Canvas = { wide: 1, high: 1 }
const CANVASES: readonly Canvas[] = [
  NORMAL_CANVAS,
  { wide: 1, high: 4 },
  { wide: 4, high: 1 },
  { wide: 2, high: 2 },
  { wide: 1, high: 8 },
  { wide: 8, high: 1 },
]

const MOST_MEMORY_BYTES = 64 * 1024 * 1024

function reasonOf({ work_left, memory }: Exports, trap: Error): string {
  if (work_left.value < 0n) return 'rendering takes too long'
  return memory.buffer.byteLength > 0.75 * MOST_MEMORY_BYTES ? 'rendering takes too much memory' : trap.message
}

/** Crops a rendering to its upper left corner, with the size of another rendering. */
function cornerOf({ width: stride, pixels }: Rendering, { width, height }: Rendering): Rendering {
  const corner = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++) corner.set(pixels.subarray(y * stride * 4, (y * stride + width) * 4), y * width * 4)
  return { width, height, pixels: corner }
}

export class SvgRenderer {
  #running: Exports | undefined
  #work = 0
  #canvas = NORMAL_CANVAS
  /** Text of the open drawing, which can be drawn in several sizes. */
  #opened: string | undefined

  /** Number of executed instructions in all calls so far, a lower bound. A CPU second executes one to four 10¹⁰. */
  get executedInstructions(): number {
    return this.#work
  }

  /**
   * Size in CSS pixels as defined by the root element.
   * @throws EngineError
   */
  size(svg: string, mostWork: number): { width: number; height: number } {
    return this.#run({ svg, mostWork }, (engine) => ({ width: engine.width(), height: engine.height() }))
  }

  /**
   * Renders the picture at `zoom` times its size. The pixels are in the memory of the engine, so they are valid until the next call.
   * @throws EngineError, also if it takes more than `mostWork` instructions
   */
  render(svg: string, zoom: number, mostWork: number): Rendering {
    const before = this.#work
    let failed: unknown
    // The canvas size that worked is tried first for the next rendering of this document.
    for (const canvas of new Set([this.#canvas, ...CANVASES])) {
      try {
        const drawn = this.#drawOn(canvas, svg, zoom, mostWork - (this.#work - before))
        if (!drawn) continue
        this.#canvas = canvas
        return drawn
      } catch (error) {
        if (!isEngineError(error, 'resvg') || error.message !== PANIC) throw error
        failed ??= error
      }
    }
    throw failed
  }

  /** Renders on an enlarged canvas. `undefined`: the canvas would be too large, or the picture would change. */
  #drawOn({ wide, high }: Canvas, svg: string, zoom: number, mostWork: number): Rendering | undefined {
    if (wide * high === 1) return this.#draw(svg, zoom, mostWork)
    const wider = enlargedCanvasOf(svg)
    const bare = wider && this.#draw(wider.emptyRoot, zoom, mostWork)
    if (!bare || bare.width * wide * bare.height * high > MAX_ENLARGED_PIXELS) return undefined
    return cornerOf(this.#draw(wider.enlarge(wide, high), zoom, mostWork), bare)
  }

  #draw(svg: string, zoom: number, mostWork: number): Rendering {
    return this.#run({ svg, mostWork }, (engine) => {
      const at = engine.draw(zoom)
      if (at === 0) throw failureOf(engine)
      const [width, height] = [engine.drawn_width(), engine.drawn_height()]
      return { width, height, pixels: new Uint8Array(engine.memory.buffer, at >>> 0, width * height * 4) }
    })
  }

  /** Opens a drawing, unless it is open, and uses it. After a trap a new instance is created for the next drawing. */
  #run<T>({ svg, mostWork }: { svg: string; mostWork: number }, use: (engine: Exports) => T): T {
    const engine = (this.#running ??= createInstance(wasmModule, {}).exports as unknown as Exports)
    const limit = BigInt(Math.max(0, Math.floor(mostWork)))
    engine.work_left.value = limit
    try {
      this.#open(engine, svg)
      return use(engine)
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof WebAssembly.RuntimeError)) throw error
      // Causes: the instruction budget or the memory is exceeded, or recursive patterns overflow the stack.
      this.#running = this.#opened = undefined
      throw new EngineError('resvg', 'damaged', reasonOf(engine, error))
    } finally {
      this.#work += Number(limit - engine.work_left.value)
    }
  }

  #open(engine: Exports, svg: string): void {
    if (this.#opened === svg) return
    this.#opened = undefined
    const text = new TextEncoder().encode(svg)
    const at = engine.text_room(text.length) >>> 0
    new Uint8Array(engine.memory.buffer, at, text.length).set(text)
    if (!engine.open()) throw failureOf(engine)
    this.#opened = svg
  }
}

/** Error with the message of the engine's last call. */
function failureOf(engine: Exports): EngineError {
  const message = new Uint8Array(engine.memory.buffer, engine.message_at() >>> 0, engine.message_length())
  return new EngineError('resvg', 'damaged', `Error: ${new TextDecoder().decode(message)}`)
}
