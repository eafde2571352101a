import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../objects/Meta.ts"
import { foregroundFinalizer, orphanFinalizer } from "../wellKnown.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, noErrors, typed } from "./FieldError.ts"
import { goStrings } from "./goFormat.ts"
import { validateAnnotations, validateLabels } from "./labels.ts"
import { byteLength, isQualifiedName, type NameRule, nameIsDNSLabel, nameIsPathSegment } from "./names.ts"

const immutableMessage = "field is immutable"

/** Returns a reference as messages show it. */
const shownOwner = (reference: OwnerReference): unknown => ({
  apiVersion: reference.apiVersion ?? "",
  kind: reference.kind ?? "",
  name: reference.name ?? "",
  uid: reference.uid ?? "",
  ...(reference.controller === undefined ? {} : { controller: reference.controller }),
  ...(reference.blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion: reference.blockOwnerDeletion })
})

const validateOwner = (errors: ErrorList, reference: OwnerReference, path: string): void => {
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference
  // The part after the slash; the whole text in the core group. With two slashes it is no version.
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1)
  if (version === "" || version.includes("/")) {
    errors.invalid(`${path}.apiVersion`, apiVersion, "version must not be empty")
  }
  if (kind === "") errors.invalid(`${path}.kind`, kind, "must not be empty")
  if (name === "") errors.invalid(`${path}.name`, name, "must not be empty")
  if (uid === "") errors.invalid(`${path}.uid`, uid, "must not be empty")
  if (apiVersion === "v1" && kind === "Event") {
    errors.invalid(path, shownOwner(reference), "/v1, Kind=Event is disallowed from being an owner")
  }
}

const validateOwners = (
  errors: ErrorList,
  references: ReadonlyArray<OwnerReference> | undefined,
  path: string
): void => {
  if (references === undefined) return
  let first = ""
  let shown: ReadonlyArray<unknown> | undefined
  for (const reference of references) {
    validateOwner(errors, reference, path)
    if (reference.controller !== true) continue
    const controller = `${reference.kind}/${reference.name}`
    if (first === "") first = controller
    else {
      shown ??= references.map(shownOwner)
      errors.invalid(
        path,
        shown,
        `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${controller}`
      )
    }
  }
}

const validateFinalizers = (errors: ErrorList, finalizers: ReadonlyArray<string> | undefined, path: string): void => {
  if (finalizers === undefined) return
  for (const finalizer of finalizers) errors.invalidEach(path, finalizer, isQualifiedName(finalizer))
  if (finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer)) {
    errors.invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set")
  }
}

const standardFinalizers: ReadonlyArray<string> = ["kubernetes", orphanFinalizer, foregroundFinalizer]

/** Checks that a finalizer without a slash is one of Kubernetes' own. */
export const validateStandardFinalizer = (errors: ErrorList, finalizer: string, path: string): void => {
  if (!finalizer.includes("/") && !standardFinalizers.includes(finalizer)) {
    errors.invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified")
  }
}

/** A byte that is no UTF-8, here a lone surrogate, is U+FFFD to Go, which is printable. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} \udc80-\udcff]/u

/** Checks a field manager: at most 128 bytes, all printable. */
export const validateFieldManager = (errors: ErrorList, manager: string, path: string): void => {
  if (byteLength(manager) > 128) errors.tooLong(path, 128)
  if (!unprintable.test(manager)) return
  let position = 0
  for (const character of manager) {
    if (unprintable.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
      errors.invalid(path, manager, `invalid character U+${code} (at position ${position})`)
    }
    position += byteLength(character)
  }
}

const validateManagedFields = (
  errors: ErrorList,
  entries: ReadonlyArray<ManagedFieldsEntry> | undefined,
  path: string
): void => {
  entries?.forEach(({ operation, fieldsType = "", manager = "", subresource = "" }, index) => {
    const at = `${path}[${index}]`
    if (operation !== "Apply" && operation !== "Update") {
      errors.invalid(`${at}.operation`, typed(operation ?? ""), "must be `Apply` or `Update`")
    }
    if (fieldsType !== "" && fieldsType !== "FieldsV1") {
      errors.invalid(`${at}.fieldsType`, fieldsType, "must be `FieldsV1`")
    }
    validateFieldManager(errors, manager, `${at}.manager`)
    if (byteLength(subresource) > 256) errors.tooLong(`${at}.subresource`, 256)
  })
}

const noMetadata: ObjectMeta = {}

/**
 * The metadata that passed `validateObjectMeta` last: those of a new object are checked by the rules of its kind, and
 * then by those of all kinds, which differ only in the name.
 */
let passed: { readonly metadata: ObjectMeta | undefined; readonly namespaced: boolean } | undefined

/**
 * Validates the metadata of an object to be created, after name generation. `standardFinalizers` adds the check of
 * unprefixed finalizers that the core and policy groups make.
 * Upstream: apimachinery/pkg/api/validation/objectmeta.go, ValidateObjectMeta.
 */
export const validateObjectMeta = (
  errors: ErrorList,
  metadata: ObjectMeta | undefined,
  options: {
    readonly namespaced: boolean
    readonly name: NameRule
    readonly standardFinalizers?: boolean
    /** The key of an annotation that Go reads into a field. */
    readonly fieldAnnotation?: string
  }
): void => {
  const { annotations, finalizers, generateName, generation, labels, managedFields, name, namespace, ownerReferences } =
    metadata ?? noMetadata
  const before = errors.size
  if (generateName) errors.invalidEach("metadata.generateName", generateName, options.name(generateName, true))
  if (!name) errors.required("metadata.name", "name or generateName is required")
  else errors.invalidEach("metadata.name", name, options.name(name, false))
  if (!options.namespaced) {
    if (namespace) errors.forbidden("metadata.namespace", "not allowed on this type")
  } else if (!namespace) errors.required("metadata.namespace")
  else errors.invalidEach("metadata.namespace", namespace, nameIsDNSLabel(namespace, false))
  errors.nonNegative("metadata.generation", generation)
  validateLabels(errors, labels, "metadata.labels")
  validateAnnotations(errors, annotations, "metadata.annotations", options.fieldAnnotation)
  validateOwners(errors, ownerReferences, "metadata.ownerReferences")
  validateFinalizers(errors, finalizers, "metadata.finalizers")
  validateManagedFields(errors, managedFields, "metadata.managedFields")
  if (options.standardFinalizers) checkStandardFinalizers(errors, finalizers)
  if (errors.size === before) passed = { metadata, namespaced: options.namespaced }
}

/** The fields of ObjectMeta that a template may not set, in the order of the struct. */
const ownFields = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
  "finalizers",
  "managedFields"
] as const

/** Validates the metadata of a template that may set labels and annotations only. Upstream: ValidateTemplateObjectMeta. */
export const validateTemplateMetadata = (errors: ErrorList, metadata: ObjectMeta | undefined, path: string): void => {
  validateAnnotations(errors, metadata?.annotations, `${path}.annotations`)
  validateLabels(errors, metadata?.labels, `${path}.labels`)
  const values = (metadata ?? noMetadata) as Readonly<Record<string, unknown>>
  for (const name of ownFields) {
    const value = values[name]
    // A grace period of 0 is one: Go has a pointer to it.
    const isZero = value === 0 && name !== "deletionGracePeriodSeconds"
    if (value === undefined || value === null || value === "" || isZero) continue
    // The path has Go's name of the field, in lower case at its start.
    errors.forbidden(`${path}.${name === "uid" ? "uID" : name}`, "cannot be set")
  }
}

const checkStandardFinalizers = (errors: ErrorList, finalizers: ReadonlyArray<string> | undefined): void => {
  finalizers?.forEach((finalizer, index) => {
    validateStandardFinalizer(errors, finalizer, `metadata.finalizers[${index}]`)
  })
}

/**
 * Validates what the metadata of every new object must satisfy, after the checks of its kind found no fault. Upstream:
 * apiserver/pkg/registry/rest/create.go, BeforeCreate.
 */
export const validateNewMetadata = (metadata: ObjectMeta, namespaced: boolean): FieldErrors => {
  const errors = new ErrorList()
  if (passed?.metadata !== metadata || passed.namespaced !== namespaced) {
    validateObjectMeta(errors, metadata, { namespaced, name: nameIsPathSegment })
    return errors.all
  }
  const { generateName, name = "" } = metadata
  if (generateName) errors.invalidEach("metadata.generateName", generateName, nameIsPathSegment(generateName, true))
  errors.invalidEach("metadata.name", name, nameIsPathSegment(name, false))
  return errors.all
}

/**
 * Validates what the metadata of every changed object must satisfy, before the checks of its kind: so some faults occur
 * twice or more often. Upstream:
 * apiserver/pkg/registry/rest/update.go, validateCommonFields.
 */
export const validateChangedMetadata = (metadata: ObjectMeta, old: ObjectMeta, namespaced: boolean): FieldErrors => {
  if (metadata === old) return noErrors
  const errors = new ErrorList()
  if (checkedParts.some((part) => metadata[part] !== old[part])) {
    validateObjectMeta(errors, metadata, { namespaced, name: nameIsPathSegment })
  }
  validateObjectMetaUpdate(errors, metadata, old)
  return errors.all
}

/** What `validateObjectMeta` checks; if none of it changed, it was checked when it was stored. */
const checkedParts = [
  "name",
  "generateName",
  "namespace",
  "generation",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers"
] as const

/**
 * Validates the metadata of an update. Parts that both versions share by reference were checked when they were stored,
 * and are not checked again. The caller has set the fields that a client may omit: uid, creation and deletion, and the
 * resourceVersion of an unconditional update.
 * Upstream: apimachinery/pkg/api/validation/objectmeta.go, ValidateObjectMetaAccessorUpdate.
 */
export const validateObjectMetaUpdate = (
  errors: ErrorList,
  metadata: ObjectMeta,
  old: ObjectMeta,
  options: { readonly standardFinalizers?: boolean; readonly fieldAnnotation?: string } = {}
): void => {
  if (metadata === old) return
  if (old.deletionTimestamp !== undefined && metadata.finalizers !== old.finalizers) {
    const known = new Set(old.finalizers)
    const added = (metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer))
    if (added.length > 0) {
      errors.forbidden(
        "metadata.finalizers",
        `no new finalizers can be added if the object is being deleted, found new finalizers ${goStrings([...new Set(added)].sort())}`
      )
    }
  }
  if (!metadata.resourceVersion) errors.invalid("metadata.resourceVersion", "", "must be specified for an update")
  if ((metadata.generation ?? 0) < (old.generation ?? 0)) {
    errors.invalid("metadata.generation", metadata.generation ?? 0, "must not be decremented")
  }
  if (metadata.name !== old.name) errors.invalid("metadata.name", metadata.name ?? "", immutableMessage)
  if (metadata.namespace !== old.namespace)
    errors.invalid("metadata.namespace", metadata.namespace ?? "", immutableMessage)
  if (metadata.uid !== old.uid) errors.invalid("metadata.uid", typed(metadata.uid ?? ""), immutableMessage)
  if (metadata.creationTimestamp !== old.creationTimestamp) {
    errors.invalid("metadata.creationTimestamp", metadata.creationTimestamp, immutableMessage)
  }
  if (metadata.deletionTimestamp !== old.deletionTimestamp) {
    errors.invalid("metadata.deletionTimestamp", metadata.deletionTimestamp, immutableMessage)
  }
  if (metadata.deletionGracePeriodSeconds !== old.deletionGracePeriodSeconds) {
    errors.invalid("metadata.deletionGracePeriodSeconds", metadata.deletionGracePeriodSeconds, immutableMessage)
  }
  if (metadata.labels !== old.labels) validateLabels(errors, metadata.labels, "metadata.labels")
  if (metadata.annotations !== old.annotations) {
    validateAnnotations(errors, metadata.annotations, "metadata.annotations", options.fieldAnnotation)
  }
  if (metadata.ownerReferences !== old.ownerReferences) {
    validateOwners(errors, metadata.ownerReferences, "metadata.ownerReferences")
  }
  if (metadata.managedFields !== old.managedFields) {
    validateManagedFields(errors, metadata.managedFields, "metadata.managedFields")
  }
  if (options.standardFinalizers && metadata.finalizers !== old.finalizers) {
    checkStandardFinalizers(errors, metadata.finalizers)
  }
}
