import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion
} from "../objects/CustomResourceDefinition.ts"
import { isUnsetList } from "../wire/decode/goTypes.ts"
import { caBundleFault } from "./caBundle.ts"
import { approvalAnnotation, approvalOf } from "./definitions/approval.ts"
import { bundleOf, checkConversion } from "./definitions/conversion.ts"
import { printedVersions } from "./definitions/internalForm.ts"
import { internalSpec } from "./definitions/internalSpec.ts"
import {
  type DefinedSchema,
  definedSchemas,
  eachSchemaPart,
  schemaIn,
  shallowFaults
} from "./definitions/schemaFaults.ts"
import * as parts from "./definitions/versionParts.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, noErrors, typed } from "./FieldError.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isDNS1035Label, isDNS1123Subdomain, nameIsDNSSubdomain } from "./names.ts"

/*
 * The validation of CustomResourceDefinitions, with the errors in Kubernetes' order. Upstream:
 * apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */

/** Returns the errors of one schema; servers of custom resources look deeper than the form. */
type SchemaFaults = (defined: DefinedSchema) => FieldErrors

const mixedCasePrefix = "may have mixed case, but should otherwise match: "

const checkNames = (errors: ErrorList, names: CustomResourceDefinitionNames, path: string): void => {
  const { categories, kind = "", listKind = "", plural = "", shortNames, singular = "" } = names
  const check = (place: string, name: string, checked: string, prefix: string) => {
    const messages = isDNS1035Label(checked)
    if (messages.length > 0) errors.invalid(place, name, `${prefix}${messages.join(",")}`)
  }
  if (plural !== "") check(`${path}.plural`, plural, plural, "")
  if (singular !== "") check(`${path}.singular`, singular, singular, "")
  if (kind !== "") check(`${path}.kind`, kind, kind.toLowerCase(), mixedCasePrefix)
  if (listKind !== "") check(`${path}.listKind`, listKind, listKind.toLowerCase(), mixedCasePrefix)
  shortNames?.forEach((name, index) => {
    check(`${path}.shortNames[${index}]`, name, name, "")
  })
  if (kind !== "" && kind === listKind) {
    errors.invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same")
  }
  categories?.forEach((category, index) => {
    check(`${path}.categories[${index}]`, category, category, "")
  })
}

const checkGroupAndScope = (errors: ErrorList, { spec }: CustomResourceDefinition): void => {
  const { group = "" } = spec
  const scope: string = spec.scope ?? ""
  const messages = isDNS1123Subdomain(group)
  if (group === "") errors.required("spec.group")
  else if (messages.length > 0) errors.invalid("spec.group", group, messages.join(","))
  else if (!group.includes(".")) errors.invalid("spec.group", group, "should be a domain with at least one dot")
  const scopes = ["Cluster", "Namespaced"]
  if (scope === "") errors.required("spec.scope")
  else if (!scopes.includes(scope)) errors.notSupportedText("spec.scope", scope, scopes)
}

const checkVersions = (errors: ErrorList, { spec }: CustomResourceDefinition, faultsAt: FaultsAt): void => {
  const { shared, versions } = internalSpec(spec)
  const common = schemaIn(shared)
  if (common === undefined) {
    versions.forEach((version, index) => {
      if (schemaIn(version) === undefined) errors.required(`spec.versions[${index}].schema.openAPIV3Schema`)
    })
  }
  if (spec.preserveUnknownFields === true && hasDefaults(spec.versions ?? [])) {
    errors.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema")
  }
  versions.forEach((version, index) => {
    const at = `spec.versions[${index}]`
    const { name = "" } = version
    const messages = isDNS1035Label(name)
    if (messages.length > 0) errors.invalid(`${at}.name`, name, messages.join(","))
    parts.checkDeprecation(errors, version, at)
    errors.append(faultsAt(`${at}.schema`))
    parts.checkSubresources(errors, version, `${at}.subresources`)
    parts.checkColumns(errors, version, `${at}.additionalPrinterColumns`)
    const noSchema = "may only be set when `version.schema.openAPIV3Schema` is not included"
    parts.checkSelectableFields(errors, version, `${at}.selectableFields`, noSchema)
  })
  const isUnset = spec.versions === undefined || isUnsetList(spec.versions)
  const shown = isUnset ? null : printedVersions(versions)
  const add = (detail: string) => errors.invalid("spec.versions", shown, detail)
  if (new Set(versions.map(({ name }) => name)).size < versions.length) add("must contain unique version names")
  if (versions.filter(({ storage }) => storage).length !== 1) {
    add("must have exactly one version marked as storage version")
  }
  const [first] = versions
  const messages = !first?.name ? [] : isDNS1035Label(first.name)
  if (messages.length > 0) errors.invalid("spec.version", first?.name, messages.join(","))
}

const hasDefaults = (versions: ReadonlyArray<CustomResourceDefinitionVersion>): boolean => {
  let found = false
  for (const version of versions) {
    eachSchemaPart(schemaIn(version) ?? {}, ({ default: value }) => {
      found ||= value !== undefined && value !== null
    })
  }
  return found
}

/** Returns the errors of the schema at a path. */
type FaultsAt = (path: string) => FieldErrors

const checkSpec = (
  errors: ErrorList,
  definition: CustomResourceDefinition,
  schemaFaults: SchemaFaults,
  old?: CustomResourceDefinition
): void => {
  const { names, ...spec } = definition.spec
  const schemas = definedSchemas(definition.spec)
  const faultsAt: FaultsAt = (path) => {
    const defined = schemas.find(({ at }) => at === path)
    return defined === undefined ? noErrors : schemaFaults(defined)
  }
  checkGroupAndScope(errors, definition)
  checkVersions(errors, definition, faultsAt)
  for (const field of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names[field]) errors.required(`spec.names.${field}`)
  }
  checkNames(errors, names, "spec.names")
  errors.append(faultsAt("spec.validation"))
  const { shared } = internalSpec(definition.spec)
  parts.checkSubresources(errors, shared, "spec.subresources")
  parts.checkColumns(errors, shared, "spec.additionalPrinterColumns")
  const noSchema = "may only be set when validations.schema is included"
  parts.checkSelectableFields(errors, shared, "spec.selectableFields", noSchema)
  checkConversion(errors, { names, ...spec }, "spec.conversion", old !== undefined && checksBundleAfter(old))
}

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.some((condition) => condition.type === "Established" && condition.status === "True") === true

/** Whether the certificates of a conversion webhook are checked: a definition keeps bad ones, and is not served with new ones. */
const checksBundleAfter = (old: CustomResourceDefinition): boolean =>
  isEstablished(old) && caBundleFault(bundleOf(old.spec)) === undefined

const checkStatus = (errors: ErrorList, status: CustomResourceDefinitionStatus | undefined): void => {
  if (status?.acceptedNames !== undefined) checkNames(errors, status.acceptedNames, "status.acceptedNames")
}

const checkStoredVersions = (errors: ErrorList, { spec, status }: CustomResourceDefinition): void => {
  const at = "status.storedVersions"
  const stored = status?.storedVersions ?? []
  if (stored.length === 0) {
    errors.invalid(at, status?.storedVersions, "must have at least one stored version")
    return
  }
  const unmatched = new Set(stored)
  for (const { name, storage } of spec.versions ?? []) {
    if (!unmatched.delete(name) && storage) errors.invalid(at, stored, `must have the storage version ${name}`)
  }
  stored.forEach((name, index) => {
    if (!unmatched.has(name)) return
    const migration = `until a storage migration ensures no data remains persisted in ${name} and removes ${name}`
    const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ${migration} from status.storedVersions`
    errors.invalid(`${at}[${index}]`, name, text)
  })
}

const checkApproval = (errors: ErrorList, definition: CustomResourceDefinition, old?: CustomResourceDefinition) => {
  const approval = approvalOf(definition)
  if (approval === undefined || (old !== undefined && approvalOf(old)?.state === approval.state)) return
  const at = `metadata.annotations[${approvalAnnotation}]`
  const { reason, state } = approval
  if (state === "missing") errors.required(at, reason)
  if (state === "invalid") errors.invalid(at, definition.metadata.annotations?.[approvalAnnotation], reason)
}

const checkPreservation = ({ spec }: CustomResourceDefinition, errors: ErrorList): void => {
  if (spec.preserveUnknownFields !== true) return
  const instead = "set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
  errors.invalid("spec.preserveUnknownFields", true, `cannot set to true, ${instead}`)
}

export const validateCustomResourceDefinition = (
  definition: CustomResourceDefinition,
  schemaFaults: SchemaFaults = shallowFaults
): FieldErrors => {
  const errors = new ErrorList()
  const { group, names } = definition.spec
  validateObjectMeta(errors, definition.metadata, {
    namespaced: false,
    name: (name, prefix) => {
      const messages = nameIsDNSSubdomain(name, prefix)
      return name === `${names.plural}.${group}` ? messages : [...messages, 'must be spec.names.plural+"."+spec.group']
    }
  })
  checkSpec(errors, definition, schemaFaults)
  checkStatus(errors, definition.status)
  checkStoredVersions(errors, definition)
  checkApproval(errors, definition)
  checkPreservation(definition, errors)
  return errors.all
}

const immutableMessage = "field is immutable"

const checkImmutable = (errors: ErrorList, { spec }: CustomResourceDefinition, old: CustomResourceDefinition): void => {
  const check = (field: string, value: unknown, before: unknown, shown = value) => {
    if (value !== before) errors.invalid(`spec.${field}`, shown, immutableMessage)
  }
  if (isEstablished(old)) {
    check("scope", spec.scope, old.spec.scope, typed(spec.scope))
    check("names.kind", spec.names.kind, old.spec.names.kind)
  }
  check("group", spec.group, old.spec.group)
  check("names.plural", spec.names.plural, old.spec.names.plural)
}

export const validateCustomResourceDefinitionUpdate = (
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
  schemaFaults: SchemaFaults = shallowFaults
): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, definition.metadata, old.metadata)
  checkSpec(errors, definition, schemaFaults, old)
  checkImmutable(errors, definition, old)
  checkStatus(errors, definition.status)
  checkStoredVersions(errors, definition)
  checkApproval(errors, definition, old)
  if (old.spec.preserveUnknownFields !== true) checkPreservation(definition, errors)
  return errors.all
}

export const validateCustomResourceDefinitionStatusUpdate = (
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition
): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, definition.metadata, old.metadata)
  checkStatus(errors, definition.status)
  return errors.all
}
