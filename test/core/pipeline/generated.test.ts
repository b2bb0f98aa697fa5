/** All tests over the generated files, in one process: each result is made once, whichever of them ask for it (test/support/generated.ts). */
import './check.ts'
import './every-codec.ts'
import './golden.ts'
