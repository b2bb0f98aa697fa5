declare namespace Cloudflare {
  interface Env extends Omit<import('../../src/service/env.ts').Env, 'PRESS' | 'MEDIA'> {
    /** Number of tasks in the account of the benchmark, as text. Empty: 20,000. */
    readonly KEPT_TASKS: string
  }
}
