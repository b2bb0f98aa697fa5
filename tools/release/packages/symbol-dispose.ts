/** `Symbol.dispose`, also where the platform has none. `Reflect.get` keeps esbuild from replacing it here. */
export const symbolDispose: symbol = Reflect.get(Symbol, 'dispose') ?? Symbol.for('Symbol.dispose')
