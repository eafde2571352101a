/** A field that is omitted from JSON when it is 0. */
export const unlessZero = <Name extends string>(name: Name, value: number): { readonly [K in Name]?: number } =>
  value === 0 ? {} : ({ [name]: value } as { readonly [K in Name]: number })
