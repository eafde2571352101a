import type { KubeObject } from "@rollcall/api"

/** The JSON of objects that were listed: immutable as they are, each is written once for all lists that it appears in. */
const written = new WeakMap<KubeObject, string>()

/** The JSON of an object that will be asked for again. */
export const listedJson = (object: KubeObject): string => {
  const known = written.get(object)
  if (known !== undefined) return known
  const json = JSON.stringify(object)
  written.set(object, json)
  return json
}

/** The JSON of an object, taken from a list if it was in one. */
export const objectJson = (object: KubeObject): string => written.get(object) ?? JSON.stringify(object)

/** The object is no longer the one that is listed: its JSON need not live as long as the history that it is in. */
export const forgetJson = (object: KubeObject): void => void written.delete(object)
