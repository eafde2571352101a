import type { KubeObject, ObjectMeta } from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"

/*
 * Objects that Go's store holds otherwise than they are read: without defaults that reading sets, or with empty bytes that
 * JSON does not show. An update of one of them that changes nothing else is a write. The forms live as long as the
 * server: after a restart such an object is stored as it is read.
 */

/** By the metadata, which parts made of a stored object share. */
const forms = new WeakMap<ObjectMeta, KubeObject>()

/** Remembers what the store would hold of the object. */
export const rememberStoredForm = (object: KubeObject, form: KubeObject): void => {
  forms.set(object.metadata, form)
}

/** Returns what the store would hold of the object: mostly itself. */
export const storedFormOf = (object: KubeObject): KubeObject => forms.get(object.metadata) ?? object

const contentOf = ({ metadata: _, ...content }: KubeObject) => content

/** Whether the store would hold the same of two objects that are read as the same. */
export const haveSameForm = (object: KubeObject, stored: KubeObject): boolean => {
  const [after, before] = [forms.get(object.metadata), forms.get(stored.metadata)]
  if (after === undefined || before === undefined) return after === before
  return sameValue(contentOf(after), contentOf(before))
}
