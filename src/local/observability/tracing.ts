/**
 * Spans of requests and jobs through `@opentelemetry/api`. Without an SDK, which the operator loads with
 * `NODE_OPTIONS="--import …"`, the API records nothing.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Context, createTraceState, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { CountedJob, JobOutcome } from '../../service/store/metrics.ts'
import { parseTraceparent, traceparentOf } from '../../service/trace-context.ts'

const tracer = () => trace.getTracer('whittle')
/** Maximum length of a `tracestate` header in characters (W3C Trace Context, section 3.3.1.5). */
const MAX_STATE_LENGTH = 512

/** Context whose span is the caller's. The root context if the caller sent no valid `traceparent`. */
function parentContext(traceparent: string | undefined, traceState?: string): Context {
  const parent = parseTraceparent(traceparent)
  if (!parent) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: parent.traceId,
    spanId: parent.parentId,
    traceFlags: parent.flags,
    isRemote: true,
    ...(traceState !== undefined && traceState.length <= MAX_STATE_LENGTH ? { traceState: createTraceState(traceState) } : {}),
  })
}

/**
 * Starts the span of a request. It ends with the response.
 * @returns the `traceparent` for the Worker: that of the span, or the caller's if no SDK is loaded. `undefined`: neither
 */
export function traceRequest(incoming: IncomingMessage, outgoing: ServerResponse): string | undefined {
  const { traceparent, tracestate } = incoming.headersDistinct
  // A request with two such headers has no trace (section 3.2.2.5.1).
  const parent = parentContext(traceparent?.length === 1 ? traceparent[0] : undefined, tracestate?.join(','))
  // The path is no attribute, because it contains ids of tasks.
  const attributes = { 'http.request.method': incoming.method ?? 'GET' }
  const span = tracer().startSpan(incoming.method ?? 'GET', { kind: SpanKind.SERVER, attributes }, parent)
  outgoing.once('close', () => {
    span.setAttribute('http.response.status_code', outgoing.statusCode)
    if (outgoing.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  })
  return traceparentOfSpan(span)
}

function traceparentOfSpan(span: Span): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const trace = { traceId, parentId: spanId, flags: traceFlags }
  return parseTraceparent(traceparentOf(trace)) && traceparentOf(trace)
}

/** Runs a job inside a span that is a child of the client's request. */
export async function traceJob<Ending>(
  { traceparent, format, step }: Pick<CountedJob, 'format' | 'step'> & { readonly traceparent: string | undefined },
  job: { readonly outcome: JobOutcome; run(): Promise<Ending> },
): Promise<Ending> {
  const attributes = { 'whittle.format': format, 'whittle.step': step }
  const span = tracer().startSpan('job', { kind: SpanKind.CONSUMER, attributes }, parentContext(traceparent))
  try {
    const ending = await job.run()
    span.setAttribute('whittle.outcome', job.outcome)
    return ending
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}
