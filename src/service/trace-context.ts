/** Trace context of a request (W3C Trace Context, section 3.2): the trace id in log lines, and the parent of spans. */

export interface TraceContext {
  /** 32 lower-case hex digits, not all 0. */
  readonly traceId: string
  /** Span of the caller: 16 lower-case hex digits, not all 0. */
  readonly parentId: string
  /** Bit 0: the caller records this trace. */
  readonly flags: number
}

/** Version, trace id, parent id and flags. Versions above 00 may append fields after a hyphen. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
/** Maximum length of the header in characters. Version 00 has 55. */
const MAX_LENGTH = 256

/** Parses a `traceparent` header. `undefined`: there is none, or it is invalid and must be ignored. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  if (header === undefined || header.length > MAX_LENGTH) return undefined
  const [, version, traceId = '', parentId = '', flags = '', rest] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  return { traceId, parentId, flags: Number.parseInt(flags, 16) }
}

/** Header of version 00 for a trace context. */
export const traceparentOf = ({ traceId, parentId, flags }: TraceContext) =>
  `00-${traceId}-${parentId}-${(flags & 1).toString().padStart(2, '0')}`

/** Field of a log line. Empty if the request had no trace. */
export function traceField(traceparent: string | undefined): { readonly trace_id?: string } {
  const trace = parseTraceparent(traceparent)
  return trace ? { trace_id: trace.traceId } : {}
}

/** The header in the form of version 00. `undefined`: there is none, or it is invalid. */
export function validTraceparent(header: string | undefined): string | undefined {
  const trace = parseTraceparent(header)
  return trace && traceparentOf(trace)
}
