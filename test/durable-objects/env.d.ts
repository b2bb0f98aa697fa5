declare namespace Cloudflare {
  interface Env extends Omit<import('../../src/service/env.ts').Env, 'PRESS' | 'MEDIA'> {
    /** How many tasks the account of the bench keeps; empty for as many as a test makes. */
    readonly KEPT_TASKS: string
  }
}
