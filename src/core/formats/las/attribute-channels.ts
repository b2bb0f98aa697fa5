/** Number of scanner channels in point formats 6 to 10. */
const CHANNELS = 4

export interface AttributeState {
  /** Offset in the chunk of the value that predicts the channel's next one. */
  lastAt: number
  reset(): void
}

/**
 * Tracks the scanner channel for the attributes after the core fields.
 *
 * LASzip version 3 has two quirks that all readers share, so a writer must keep them. First, these attributes see the scanner channel only
 * at the point where it changes; at all other points they see channel 0. Second, when a channel returns, they predict from the previous
 * channel's last value and then replace it.
 */
export class AttributeChannels<T extends AttributeState> {
  /** Channel state that owns the previous value of the current point's attributes. */
  history!: T
  private readonly states: (T | undefined)[] = new Array<undefined>(CHANNELS)
  private readonly opened: boolean[] = new Array<boolean>(CHANNELS).fill(false)
  private readonly create: () => T
  private current = 0

  constructor(create: () => T) {
    this.create = create
  }

  reset(channel: number, at: number): void {
    this.opened.fill(false)
    this.current = channel
    this.history = this.open(channel, at)
  }

  /** Returns the state whose models to use, and sets `history`. */
  select(channel: number): T {
    const previous = this.states[this.current]!
    this.history = previous
    if (channel === this.current) return previous
    this.current = channel
    if (this.opened[channel] !== true) this.history = this.open(channel, previous.lastAt)
    return this.states[channel]!
  }

  private open(channel: number, at: number): T {
    const state = (this.states[channel] ??= this.create())
    state.reset()
    state.lastAt = at
    this.opened[channel] = true
    return state
  }
}
