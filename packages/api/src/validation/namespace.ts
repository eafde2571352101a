import type { Namespace } from "../objects/Core.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { validateObjectMeta, validateObjectMetaUpdate, validateStandardFinalizer } from "./metadata.ts"
import { isQualifiedName, nameIsDNSLabel } from "./names.ts"

const options = { namespaced: false, name: nameIsDNSLabel, standardFinalizers: true } as const

const checkFinalizers = (errors: ErrorList, finalizers: ReadonlyArray<string> | undefined, indexed: boolean): void => {
  finalizers?.forEach((finalizer, index) => {
    const path = indexed ? `spec.finalizers[${index}]` : "spec.finalizers"
    errors.invalidEach(path, finalizer, isQualifiedName(finalizer))
    validateStandardFinalizer(errors, finalizer, path)
  })
}

/** Upstream: pkg/apis/core/validation/validation.go, ValidateNamespace. */
export const validateNamespace = (namespace: Namespace): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, namespace.metadata, options)
  checkFinalizers(errors, namespace.spec?.finalizers, false)
  return errors.all
}

export const validateNamespaceUpdate = (namespace: Namespace, old: Namespace): FieldErrors => {
  const errors = new ErrorList()
  errors.append(validateNamespace(namespace))
  validateObjectMetaUpdate(errors, namespace.metadata, old.metadata, options)
  return errors.all
}

/** Validates a status update: the phase must be Terminating if the namespace is being deleted, otherwise Active. */
export const validateNamespaceStatusUpdate = (namespace: Namespace, old: Namespace): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, namespace.metadata, old.metadata, options)
  const phase = namespace.status?.phase ?? ""
  if (namespace.metadata.deletionTimestamp === undefined) {
    if (phase !== "Active") {
      errors.invalid("status.Phase", typed(phase), "may only be 'Active' if `deletionTimestamp` is empty")
    }
  } else if (phase !== "Terminating") {
    errors.invalid("status.Phase", typed(phase), "may only be 'Terminating' if `deletionTimestamp` is not empty")
  }
  return errors.all
}

/** Validates a PUT of namespaces/finalize. */
export const validateNamespaceFinalizeUpdate = (namespace: Namespace, old: Namespace): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, namespace.metadata, old.metadata, options)
  checkFinalizers(errors, namespace.spec?.finalizers, true)
  return errors.all
}
