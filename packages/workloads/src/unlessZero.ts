/** An object with this field, or without it if the value is 0: as Go's `omitempty`. */
export const unlessZero = <Name extends string>(name: Name, value: number): { readonly [K in Name]?: number } =>
  value === 0 ? {} : ({ [name]: value } as { readonly [K in Name]: number })
