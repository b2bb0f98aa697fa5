/** Markdown of the page "Errors", from the texts that the service has for each error type. */
import { ERROR_MEANINGS, statusOf } from '../../src/service/http/error-texts.ts'

type ErrorType = keyof typeof ERROR_MEANINGS

const EXAMPLE = `{
  "error": { "code": 400, "message": "Invalid value for 'quality': got 'best', allowed are low, medium and high.", "request_id": "req_5s1k9d0c" },
  "error_detail": { "type": "invalid_parameter", "param": "quality", "got": "best", "allowed": ["low", "medium", "high"] }
}`

/** Returns the page: one section per status, one heading per type. The \`doc_url\` of an error leads to its heading. */
export function errorsPage(): string {
  const byStatus = Map.groupBy(Object.keys(ERROR_MEANINGS) as ErrorType[], statusOf)
  const sections = [...byStatus.entries()]
    .sort(([a], [b]) => a - b)
    .map(([status, types]) => {
      const parts = types.map((type) => `### \`${type}\` {#${type}}\n\n${ERROR_MEANINGS[type]}`)
      return `## ${status} {#status-${status}}\n\n${parts.join('\n\n')}`
    })
  return `# Errors

Every error has the same form, also in failed tasks. Programs read \`error_detail.type\`. \`message\` is for people: it is English, or Simplified
Chinese if \`Accept-Language\` prefers it. Quote \`request_id\` to the operator.

\`\`\`json
${EXAMPLE}
\`\`\`

${sections.join('\n\n')}
`
}
