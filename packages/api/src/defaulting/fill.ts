/** Helpers that complete an object. They return the same object, and allocate nothing, when nothing is missing. */

/** Returns the object with the defaults of its missing fields; an empty string counts as missing, as it does in Go. */
export const withDefaults = <A extends object>(object: A, defaults: Partial<A>): A => fill(object, defaults, isMissing)

/** The same for fields that are pointers in Go: an empty string is a value, which validation may refuse. */
export const withPointerDefaults = <A extends object>(object: A, defaults: Partial<A>): A =>
  fill(object, defaults, isAbsent)

const isAbsent = (value: unknown): boolean => value === undefined || value === null

const isMissing = (value: unknown): boolean => isAbsent(value) || value === ""

const fill = <A extends object>(object: A, defaults: Partial<A>, isEmpty: (value: unknown) => boolean): A => {
  let filled: A | undefined
  for (const key in defaults) {
    if (!isEmpty(object[key])) continue
    if (filled === undefined) filled = { ...object }
    Object.assign(filled, { [key]: defaults[key] })
  }
  return filled ?? object
}

/**
 * Returns the object with some fields set; the same object when they have these values. An undefined value leaves its
 * field unchanged.
 */
export const withFields = <A extends object>(object: A, fields: { readonly [K in keyof A]?: A[K] | undefined }): A => {
  for (const key in fields) {
    if (fields[key] !== undefined && fields[key] !== object[key]) {
      const changed = Object.entries(fields).filter(([, value]) => value !== undefined)
      return { ...object, ...Object.fromEntries(changed) }
    }
  }
  return object
}

/** Returns the list with each item completed; the same list when no item changed. */
export const mapItems = <A>(list: ReadonlyArray<A>, complete: (item: A) => A): ReadonlyArray<A> => {
  for (let index = 0; index < list.length; index++) {
    const item = list[index] as A
    if (complete(item) !== item) return list.map(complete)
  }
  return list
}
