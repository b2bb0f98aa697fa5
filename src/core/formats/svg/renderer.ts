/**
 * Minimal binding for resvg (MPL-2.0): an SVG in, pixels out. The package's own binding keeps one Wasm instance forever. Here each renderer
 * has an instance, which is dropped with its memory, also after a trap. No file is ever fetched and no fonts are loaded, so text is not
 * drawn. A call cannot be interrupted from outside. Therefore `tools/wasm/meter-wasm.ts` adds an instruction counter to the Wasm code.
 * Memory is limited to 64 MB.
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
  resvg_new(result: number, svg: number, options: number, optionsLength: number, fonts: number): void
  resvg_width(resvg: number): number
  resvg_height(resvg: number): number
  resvg_render(result: number, resvg: number): void
  renderedimage_width(image: number): number
  renderedimage_height(image: number): number
  renderedimage_pixels(image: number): number
  __wbg_resvg_free(resvg: number): void
  __wbg_renderedimage_free(image: number): void
  __wbindgen_malloc(bytes: number, align: number): number
  __wbindgen_add_to_stack_pointer(bytes: number): number
  __wbindgen_exn_store(error: number): void
}

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

/** Instruction budget for freeing a tree, which must never fail. */
const ENOUGH_TO_FREE = 1n << 40n

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
  /** JavaScript objects that Wasm refers to by index. */
  readonly #objects: unknown[] = [undefined, null, true, false]

  /** Wasm instance. After a trap a new one is created, because borrowed objects are never released. */
  get #exports(): Exports {
    this.#running ??= createInstance(wasmModule, { wbg: this.#imports() }).exports as unknown as Exports
    return this.#running
  }

  /** Number of executed instructions in all calls so far, a lower bound. A CPU second executes one to four 10¹⁰. */
  get executedInstructions(): number {
    return this.#work
  }

  /**
   * Size in CSS pixels as defined by the root element.
   * @throws EngineError
   */
  size(svg: string, mostWork: number): { width: number; height: number } {
    return this.#open({ svg, mostWork }, {}, (resvg) => ({
      width: this.#exports.resvg_width(resvg),
      height: this.#exports.resvg_height(resvg),
    }))
  }

  /**
   * Renders the picture at `zoom` times its size.
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
    return this.#open({ svg, mostWork }, { fitTo: { mode: 'zoom', value: zoom } }, (resvg) => {
      const image = this.#call((result) => this.#exports.resvg_render(result, resvg))
      try {
        const pixels = this.#take(this.#exports.renderedimage_pixels(image)) as Uint8Array
        return { width: this.#exports.renderedimage_width(image) >>> 0, height: this.#exports.renderedimage_height(image) >>> 0, pixels }
      } finally {
        this.#exports.__wbg_renderedimage_free(image)
      }
    })
  }

  #open<T>({ svg, mostWork }: { svg: string; mostWork: number }, options: object, use: (resvg: number) => T): T {
    const json = new TextEncoder().encode(JSON.stringify({ ...options, font: { loadSystemFonts: false }, logLevel: 'off' }))
    const running = this.#exports
    const limit = BigInt(Math.max(0, Math.floor(mostWork)))
    running.work_left.value = limit
    let resvg: number | undefined
    try {
      const at = running.__wbindgen_malloc(json.length, 1) >>> 0
      new Uint8Array(running.memory.buffer).set(json, at)
      resvg = this.#call((result) => running.resvg_new(result, this.#add(svg), at, json.length, 0))
      return use(resvg)
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof WebAssembly.RuntimeError)) throw error
      // Causes: the instruction budget or the memory is exceeded, or recursive patterns overflow the stack.
      resvg = undefined
      this.#running = undefined
      throw new EngineError('resvg', 'damaged', reasonOf(running, error))
    } finally {
      this.#work += Number(limit - running.work_left.value)
      running.work_left.value = ENOUGH_TO_FREE
      if (resvg !== undefined) running.__wbg_resvg_free(resvg)
    }
  }

  /** Calls a function that returns Rust's `Result<pointer, JsValue>` in three words: pointer, error, error flag. */
  #call(run: (result: number) => void): number {
    const running = this.#exports
    const result = running.__wbindgen_add_to_stack_pointer(-16)
    try {
      run(result)
      const view = new DataView(running.memory.buffer)
      if (view.getInt32(result + 8, true) !== 0)
        throw new EngineError('resvg', 'damaged', String(this.#take(view.getInt32(result + 4, true))))
      return view.getInt32(result, true) >>> 0
    } finally {
      if (running.work_left.value >= 0n) running.__wbindgen_add_to_stack_pointer(16)
    }
  }

  #add(object: unknown): number {
    return this.#objects.push(object) - 1
  }

  #get(index: number): unknown {
    return this.#objects[index]
  }

  #take(index: number): unknown {
    const object = this.#objects[index]
    if (index > 3) this.#objects[index] = undefined
    return object
  }

  #text(at: number, length: number): string {
    return new TextDecoder().decode(new Uint8Array(this.#exports.memory.buffer, at >>> 0, length))
  }

  /** Imports with the names that wasm-bindgen generated for resvg-wasm 2.6.2. */
  #imports(): WebAssembly.ModuleImports {
    return {
      __wbg_new_28c511d9baebfa89: (at: number, length: number) => this.#add(new Error(this.#text(at, length))),
      __wbindgen_memory: () => this.#add(this.#exports.memory),
      __wbg_buffer_12d079cc21e14bdb: (memory: number) => this.#add((this.#get(memory) as WebAssembly.Memory).buffer),
      __wbg_newwithbyteoffsetandlength_aa4a17c33a06e5cb: (buffer: number, offset: number, length: number) =>
        this.#add(new Uint8Array(this.#get(buffer) as ArrayBuffer, offset >>> 0, length >>> 0)),
      __wbindgen_object_drop_ref: (object: number) => {
        this.#take(object)
      },
      __wbg_new_63b92bc8671ed464: (object: number) => this.#add(new Uint8Array(this.#get(object) as Uint8Array)),
      __wbg_values_839f3396d5aac002: (object: number) => this.#add((this.#get(object) as unknown[]).values()),
      __wbg_next_196c84450b364254: (object: number) => this.#add((this.#get(object) as Iterator<unknown>).next()),
      __wbg_done_298b57d23c0fc80c: (object: number) => ((this.#get(object) as IteratorResult<unknown>).done ? 1 : 0),
      __wbg_value_d93c65011f51a456: (object: number) => this.#add((this.#get(object) as IteratorResult<unknown>).value),
      __wbg_instanceof_Uint8Array_2b3bbecd033d19f6: (object: number) => (this.#get(object) instanceof Uint8Array ? 1 : 0),
      __wbindgen_string_get: (result: number, object: number) => this.#stringGet(result, this.#get(object)),
      __wbg_new_16b304a2cfa7ff4a: () => this.#add([]),
      __wbindgen_string_new: (at: number, length: number) => this.#add(this.#text(at, length)),
      __wbg_push_a5b05aedc7234f9f: (array: number, object: number) => (this.#get(array) as unknown[]).push(this.#get(object)),
      __wbg_length_c20a40f15020d68a: (object: number) => (this.#get(object) as Uint8Array).length,
      __wbg_set_a47bac70306a19a7: (to: number, from: number, at: number) =>
        (this.#get(to) as Uint8Array).set(this.#get(from) as Uint8Array, at >>> 0),
      __wbindgen_throw: (at: number, length: number) => {
        throw new EngineError('resvg', 'damaged', this.#text(at, length))
      },
    }
  }

  #stringGet(result: number, value: unknown): void {
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : undefined
    const at = bytes ? this.#exports.__wbindgen_malloc(bytes.length, 1) >>> 0 : 0
    if (bytes) new Uint8Array(this.#exports.memory.buffer).set(bytes, at)
    const view = new DataView(this.#exports.memory.buffer)
    view.setInt32(result, at, true)
    view.setInt32(result + 4, bytes?.length ?? 0, true)
  }
}
