/** Decodes CCITT Group 4 data (ITU-T T.6) into rows. */

import { isEngineError } from '../../../../../wasm/engine-error.ts'
import { decodeFaxRows } from '../../../bytes/ccitt/decode.ts'
import { message } from '../../../i18n/message.ts'
import { PdfSyntax } from '../objects.ts'

/** Yields rows of packed bits; 0 is black. */
export function* decodeFax(bytes: Uint8Array, width: number, height: number): Generator<Uint8Array> {
  try {
    for (const row of decodeFaxRows(bytes, { kind: 'g4', twoDimensional: true, width, height })) yield row.map((byte) => ~byte)
  } catch (error) {
    throw isEngineError(error, 'fax') ? new PdfSyntax(message('engine_reports', { problem: error.message })) : error
  }
}
