/** Scanner channels of point formats 6 to 10. */
const CHANNELS = 4

export interface AttributeState {
  /** Where the value that predicts the channel's next one lies in the chunk. */
  lastAt: number
  reset(): void
}

/**
 * Channel bookkeeping of the attributes that follow the core fields.
 *
 * Version 3 has two quirks every reader shares, so a writer must keep them:
 * these attributes see the scanner channel only on the very point at which it
 * changes and channel 0 otherwise, and on returning to a channel seen before
 * they predict from (and then replace) the *previous* channel's last value.
 */
export class AttributeChannels<T extends AttributeState> {
  /** The state that owns the last value for the point being coded. */
  history!: T
  private readonly states: (T | undefined)[] = new Array<undefined>(CHANNELS)
  private readonly live: boolean[] = new Array<boolean>(CHANNELS).fill(false)
  private readonly create: () => T
  private current = 0

  constructor(create: () => T) {
    this.create = create
  }

  reset(channel: number, at: number): void {
    this.live.fill(false)
    this.current = channel
    this.history = this.open(channel, at)
  }

  /** Returns the state whose models to use and sets `history`. */
  select(channel: number): T {
    const previous = this.states[this.current]!
    this.history = previous
    if (channel === this.current) return previous
    this.current = channel
    if (this.live[channel] !== true) this.history = this.open(channel, previous.lastAt)
    return this.states[channel]!
  }

  private open(channel: number, at: number): T {
    const state = (this.states[channel] ??= this.create())
    state.reset()
    state.lastAt = at
    this.live[channel] = true
    return state
  }
}
