/** Runs all tests of the generated files in one process, so that each result is computed once (test/support/generated.ts). */
import './check.ts'
import './every-codec.ts'
import './golden.ts'
