import type { KubeObject } from "../objects/Meta.ts"
import { ErrorList } from "./ErrorList.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { type NameRule, nameIsDNSSubdomain } from "./names.ts"
import type { Validation } from "./Validation.ts"

interface Checks<A> {
  /** Default: a DNS subdomain. */
  readonly name?: NameRule
  /** Checks a new object (`old` is undefined) or a changed one, except for its metadata. */
  readonly check: (errors: ErrorList, object: A, old: A | undefined) => void
  /** Checks what an update may not change, before all else. */
  readonly unchanged?: (errors: ErrorList, object: A, old: A) => void
  /** Checks a changed status. */
  readonly status?: (errors: ErrorList, object: A, old: A) => void
  /**
   * The metadata that an update checks, beside the change that is checked for every kind: the change again, the object
   * alone as on a create, or both; default both.
   */
  readonly onUpdate?: "change" | "object" | "both"
}

const checkChange = ({ metadata }: KubeObject, old: KubeObject, repeats: boolean): ErrorList => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, metadata, old.metadata)
  if (repeats) validateObjectMetaUpdate(errors, metadata, old.metadata, { standardFinalizers: true })
  return errors
}

/** Makes the validation of a kind from its checks, in upstream's usual order. */
export const makeRules = <A extends KubeObject>(scope: "Cluster" | "Namespaced", checks: Checks<A>): Validation<A> => {
  const { check, name = nameIsDNSSubdomain, onUpdate = "both", status, unchanged } = checks
  const metadata = { namespaced: scope === "Namespaced", name, standardFinalizers: true }
  return {
    create: (object) => {
      const errors = new ErrorList()
      validateObjectMeta(errors, object.metadata, metadata)
      check(errors, object, undefined)
      return errors.all
    },
    update: (object, old) => {
      const errors = checkChange(object, old, onUpdate !== "object")
      unchanged?.(errors, object, old)
      if (onUpdate !== "change") validateObjectMeta(errors, object.metadata, metadata)
      check(errors, object, old)
      return errors.all
    },
    ...(status && {
      updateStatus: (object: A, old: A) => {
        const errors = checkChange(object, old, true)
        status(errors, object, old)
        return errors.all
      }
    })
  }
}
