/**
 * Calls through a property of a Durable Object (`account.people.invite(…)`) in one expression. workerd pipelines them;
 * the test runner's wrapper classes do not, so the property is fetched first.
 */
const NESTED = ['people', 'challenges', 'streams', 'connections', 'presets', 'pictures', 'syncs']

type Methods = Record<string, (...given: unknown[]) => Promise<unknown>>

export function nested<T extends object>(stub: T): T {
  return new Proxy(stub, {
    get(target, name) {
      if (typeof name !== 'string' || !NESTED.includes(name)) return Reflect.get(target, name)
      const call = async (method: string, given: unknown[]) => {
        const inner = (await Reflect.get(target, name)) as Methods
        return inner[method]!(...given)
      }
      return new Proxy(
        {},
        {
          get:
            (_, method) =>
            (...given: unknown[]) =>
              call(String(method), given),
        },
      )
    },
  })
}
