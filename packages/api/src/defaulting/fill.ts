/** Ways to complete an object that leave it alone, and allocate nothing, when nothing is missing. */

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ""

/** The object with those of the defaults that it lacks; an empty text counts as lacking, as it does in Go. */
export const withDefaults = <A extends object>(object: A, defaults: Partial<A>): A => {
  let filled: A | undefined
  for (const key in defaults) {
    if (!isMissing(object[key])) continue
    if (filled === undefined) filled = { ...object }
    Object.assign(filled, { [key]: defaults[key] })
  }
  return filled ?? object
}

/** The object with some fields set; the same object when they had these values. Undefined leaves a field alone. */
export const withFields = <A extends object>(object: A, fields: { readonly [K in keyof A]?: A[K] | undefined }): A => {
  for (const key in fields) {
    if (fields[key] !== undefined && fields[key] !== object[key]) {
      const changed = Object.entries(fields).filter(([, value]) => value !== undefined)
      return { ...object, ...Object.fromEntries(changed) }
    }
  }
  return object
}

/** The list with each item completed; the same list when no item changed. */
export const mapItems = <A>(list: ReadonlyArray<A>, complete: (item: A) => A): ReadonlyArray<A> => {
  for (let index = 0; index < list.length; index++) {
    const item = list[index] as A
    if (complete(item) !== item) return list.map(complete)
  }
  return list
}
