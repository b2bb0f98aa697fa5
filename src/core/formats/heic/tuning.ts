/** Speed of the AVIF encoder for an estimate: the fastest one of large pictures. */
export const SAMPLE_SPEED = 8
