import type { KubeObject } from "../objects/Meta.ts"
import { ErrorList } from "./ErrorList.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { type NameRule, nameIsDNSSubdomain } from "./names.ts"
import type { Validation } from "./Validation.ts"

interface Checks<A> {
  /** Default: a DNS subdomain. */
  readonly name?: NameRule
  /** Whether finalizers without a domain need not be Kubernetes' own. */
  readonly anyFinalizers?: boolean
  /** Checks a new object (`old` is undefined) or a changed one, except for its metadata. */
  readonly check: (errors: ErrorList, object: A, old: A | undefined) => void
  /** Checks what an update may not change, before all else. */
  readonly unchanged?: (errors: ErrorList, object: A, old: A) => void
  /** The same, after all else. */
  readonly changed?: (errors: ErrorList, object: A, old: A) => void
  /** Checks a changed status. */
  readonly status?: (errors: ErrorList, object: A, old: A) => void
  /**
   * The metadata that an update checks, beside what is checked for every kind: their change, the object alone as on a
   * create, or both; default both. With `first`, the checks of a create come first, then those of a change. An update
   * of the status checks the change at most.
   */
  readonly onUpdate?: "change" | "object" | "both" | "first"
}

/** Makes the validation of a kind from its checks, in upstream's usual order. */
export const makeRules = <A extends KubeObject>(scope: "Cluster" | "Namespaced", checks: Checks<A>): Validation<A> => {
  const { anyFinalizers = false, changed, check, name = nameIsDNSSubdomain, onUpdate = "both", status } = checks
  const metadata = { namespaced: scope === "Namespaced", name, standardFinalizers: !anyFinalizers }
  const checkChange = (errors: ErrorList, object: A, old: A): void => {
    if (onUpdate !== "object") validateObjectMetaUpdate(errors, object.metadata, old.metadata, metadata)
    checks.unchanged?.(errors, object, old)
  }
  return {
    create: (object) => {
      const errors = new ErrorList()
      validateObjectMeta(errors, object.metadata, metadata)
      check(errors, object, undefined)
      return errors.all
    },
    update: (object, old) => {
      const errors = new ErrorList()
      if (onUpdate !== "first") checkChange(errors, object, old)
      if (onUpdate !== "change") validateObjectMeta(errors, object.metadata, metadata)
      check(errors, object, old)
      if (onUpdate === "first") checkChange(errors, object, old)
      changed?.(errors, object, old)
      return errors.all
    },
    ...(status && {
      updateStatus: (object: A, old: A) => {
        const errors = new ErrorList()
        if (onUpdate !== "object") validateObjectMetaUpdate(errors, object.metadata, old.metadata, metadata)
        status(errors, object, old)
        return errors.all
      }
    })
  }
}
