/** Parses the headers of a multipart part: field name, file name, content type (RFC 7578, 4.2; WHATWG multipart/form-data). */
import { type ApiMessageOrCode, apiMessage, toApiMessage } from '../i18n/message.ts'
import { ApiError } from '../tasks/api-error.ts'

export const malformed = (what: ApiMessageOrCode) =>
  new ApiError('malformed_request', apiMessage('multipart_malformed', { why: toApiMessage(what) }))

export interface Disposition {
  /** Name of the form field. */
  readonly name: string
  /** Decoded file name. Empty: a file input without a file. `undefined`: the part is not a file. */
  readonly fileName?: string
}

const MAX_NAME_LENGTH = 200
/** Header parameters: token, equals sign, token or quoted string. In quotes, a backslash escapes `"` and `\`. */
const PARAMETER = /[;\s]+([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([^\s;"]+))/y

export function parseDisposition(headers: Uint8Array): Disposition {
  const lines = decode(headers)
    .split('\r\n')
    .map((line) => {
      const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\s\S]*)$/.exec(line)
      if (!match) throw malformed('header_line_malformed')
      return [match[1]!.toLowerCase(), match[2]!] as const
    })
  const value = (name: string) => lines.find(([key]) => key === name)?.[1]
  const encoding = value('content-transfer-encoding')
  if (encoding !== undefined && !/^\s*(7bit|8bit|binary)\s*$/i.test(encoding)) {
    throw malformed('transfer_encoding_given')
  }
  const disposition = value('content-disposition')
  if (disposition === undefined) throw malformed('part_has_no_content_disposition')
  const parameters = parseParameters(disposition)
  const name = parameters.get('name')
  if (name === undefined) throw malformed('part_has_no_name')
  if (name.length > MAX_NAME_LENGTH) throw malformed(apiMessage('part_name_too_long', { limit: MAX_NAME_LENGTH }))
  const fileName = extended(parameters.get('filename*')) ?? parameters.get('filename')
  return { name, ...(fileName === undefined ? {} : { fileName }) }
}

function parseParameters(disposition: string): Map<string, string> {
  const type = /^\s*form-data\s*(?=;|$)/i.exec(disposition)
  if (!type) throw malformed('part_is_no_form_data')
  const parameters = new Map<string, string>()
  PARAMETER.lastIndex = type[0].length
  let end = type[0].length
  for (let match = PARAMETER.exec(disposition); match; match = PARAMETER.exec(disposition)) {
    end = PARAMETER.lastIndex
    const key = match[1]!.toLowerCase()
    const text = match[2] === undefined ? match[3]! : unquote(match[2])
    if (!parameters.has(key)) parameters.set(key, text)
  }
  if (!/^[;\s]*$/.test(disposition.slice(end))) throw malformed('content_disposition_unreadable')
  return parameters
}

/** Decodes backslash escapes of `"` and `\` (RFC 822 clients) and the three percent escapes that browsers write. */
const unquote = (text: string) =>
  text.replace(/\\(["\\])/g, '$1').replace(/%22|%0D|%0A/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))

/** Decodes `filename*` (RFC 8187), which RFC 7578 forbids but some clients send. `undefined`: invalid. */
function extended(value: string | undefined): string | undefined {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')
  if (!match) return undefined
  try {
    return decodeURIComponent(match[1]!)
  } catch {
    return undefined
  }
}

/** Decodes UTF-8, or Latin-1 if the bytes are not valid UTF-8. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return new TextDecoder('latin1').decode(bytes)
  }
}
