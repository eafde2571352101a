import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion
} from "../objects/CustomResourceDefinition.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isDNS1035Label, isDNS1123Subdomain, nameIsPathSegment } from "./names.ts"
import { semanticEqual } from "./semanticEqual.ts"
import { validateStructuralSchema } from "./structuralSchema.ts"

/** Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go. */

const options = { namespaced: false, name: nameIsPathSegment } as const

const mixedCasePrefix = "may have mixed case, but should otherwise match: "

const checkNames = (errors: ErrorList, names: CustomResourceDefinitionNames, path: string): void => {
  const { categories = [], kind, listKind = "", plural, shortNames = [], singular = "" } = names
  errors.invalidEach(`${path}.plural`, plural, isDNS1035Label(plural))
  if (singular !== "") errors.invalidEach(`${path}.singular`, singular, isDNS1035Label(singular))
  const kindMessages = isDNS1035Label(kind.toLowerCase())
  if (kindMessages.length > 0) errors.invalid(`${path}.kind`, kind, `${mixedCasePrefix}${kindMessages.join(",")}`)
  const listKindMessages = listKind === "" ? [] : isDNS1035Label(listKind.toLowerCase())
  if (listKindMessages.length > 0)
    errors.invalid(`${path}.listKind`, listKind, `${mixedCasePrefix}${listKindMessages.join(",")}`)
  shortNames.forEach((name, index) => {
    errors.invalidEach(`${path}.shortNames[${index}]`, name, isDNS1035Label(name))
  })
  if (listKind !== "" && kind === listKind) {
    errors.invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same")
  }
  categories.forEach((category, index) => {
    errors.invalidEach(`${path}.categories[${index}]`, category, isDNS1035Label(category))
  })
}

const requireNames = (errors: ErrorList, names: CustomResourceDefinitionNames, path: string): void => {
  if (names.plural === "") errors.required(`${path}.plural`)
  if ((names.singular ?? "") === "") errors.required(`${path}.singular`)
  if (names.kind === "") errors.required(`${path}.kind`)
  if ((names.listKind ?? "") === "") errors.required(`${path}.listKind`)
}

const schemaOf = (version: CustomResourceDefinitionVersion) => version.schema?.openAPIV3Schema

/** Schemas that are the same in every version are checked once, with the path of a top-level schema. */
const checkSchemas = (errors: ErrorList, versions: ReadonlyArray<CustomResourceDefinitionVersion>): void => {
  const [first] = versions
  const common = first === undefined ? undefined : schemaOf(first)
  if (common !== undefined && versions.every((version) => semanticEqual(schemaOf(version), common))) {
    validateStructuralSchema(errors, common, "spec.validation.openAPIV3Schema")
    return
  }
  versions.forEach((version, index) => {
    const at = `spec.versions[${index}].schema.openAPIV3Schema`
    const schema = schemaOf(version)
    if (schema === undefined) errors.required(at, "schemas are required")
    else validateStructuralSchema(errors, schema, at)
  })
}

const columnTypes = ["boolean", "date", "integer", "number", "string"]

const checkVersion = (errors: ErrorList, version: CustomResourceDefinitionVersion, at: string): void => {
  errors.invalidEach(`${at}.name`, version.name, isDNS1035Label(version.name))
  if ((version.deprecationWarning ?? "") !== "" && version.deprecated !== true) {
    errors.invalid(`${at}.deprecationWarning`, version.deprecationWarning, "can only be set for deprecated versions")
  }
  version.additionalPrinterColumns?.forEach(({ jsonPath, name, type }, index) => {
    const path = `${at}.additionalPrinterColumns[${index}]`
    if (name === "") errors.required(`${path}.name`)
    if (type === "") errors.required(`${path}.type`, `must be one of ${columnTypes.join(",")}`)
    else if (!columnTypes.includes(type)) {
      errors.invalid(`${path}.type`, type, `must be one of ${columnTypes.join(",")}`)
    }
    if (jsonPath === "") errors.required(`${path}.JSONPath`)
  })
  const scale = version.subresources?.scale
  if (scale !== undefined) {
    for (const [field, prefix] of [
      ["specReplicasPath", ".spec"],
      ["statusReplicasPath", ".status"]
    ] as const) {
      const path = `${at}.subresources.scale.${field}`
      if (scale[field] === "") errors.required(path)
      else if (!scale[field].startsWith(`${prefix}.`)) {
        errors.invalid(path, scale[field], `should be a json path under ${prefix}`)
      }
    }
  }
}

const checkVersions = (errors: ErrorList, versions: ReadonlyArray<CustomResourceDefinitionVersion>): void => {
  const names = new Set<string>()
  versions.forEach((version, index) => {
    const at = `spec.versions[${index}]`
    checkVersion(errors, version, at)
    if (names.has(version.name)) errors.invalid("spec.versions", names.size, "must contain unique version names")
    names.add(version.name)
  })
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.invalid("spec.versions", shownVersions(versions), "must have exactly one version marked as storage version")
  }
  checkSchemas(errors, versions)
}

const shownVersions = (versions: ReadonlyArray<CustomResourceDefinitionVersion>): unknown =>
  versions.map(({ name, served, storage }) => ({ Name: name, Served: served, Storage: storage }))

const scopes = ["Cluster", "Namespaced"]

const checkSpec = (errors: ErrorList, definition: CustomResourceDefinition): void => {
  const { group, names, scope, versions } = definition.spec
  if (group === "") errors.required("spec.group")
  else {
    const messages = isDNS1123Subdomain(group)
    if (messages.length > 0) errors.invalid("spec.group", group, messages.join(","))
    else if (!group.includes(".")) errors.invalid("spec.group", group, "should be a domain with at least one dot")
  }
  if (scope === "") errors.required("spec.scope")
  else if (!scopes.includes(scope)) errors.notSupported("spec.scope", scope, scopes)
  checkVersions(errors, versions)
  requireNames(errors, names, "spec.names")
  checkNames(errors, names, "spec.names")
}

const checkName = (errors: ErrorList, definition: CustomResourceDefinition): void => {
  const { group, names } = definition.spec
  const name = definition.metadata.name ?? ""
  if (name !== `${names.plural}.${group}`) {
    errors.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')
  }
}

export const validateCustomResourceDefinition = (definition: CustomResourceDefinition): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMeta(errors, definition.metadata, options)
  checkName(errors, definition)
  checkSpec(errors, definition)
  return errors.all
}

const immutableMessage = "field is immutable"

export const validateCustomResourceDefinitionUpdate = (
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition
): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, definition.metadata, old.metadata)
  checkSpec(errors, definition)
  const { group, names, scope, versions } = definition.spec
  const established = old.status?.conditions?.some(({ status, type }) => type === "Established" && status === "True")
  if (established === true) {
    if (scope !== old.spec.scope) errors.invalid("spec.scope", scope, immutableMessage)
    if (names.kind !== old.spec.names.kind) errors.invalid("spec.names.kind", names.kind, immutableMessage)
  }
  if (group !== old.spec.group) errors.invalid("spec.group", group, immutableMessage)
  if (names.plural !== old.spec.names.plural) errors.invalid("spec.names.plural", names.plural, immutableMessage)
  const served = new Set(versions.map(({ name }) => name))
  old.status?.storedVersions?.forEach((name, index) => {
    if (served.has(name)) return
    errors.invalid(`status.storedVersions[${index}]`, name, "must appear in spec.versions")
  })
  return errors.all
}

export const validateCustomResourceDefinitionStatusUpdate = (
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition
): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, definition.metadata, old.metadata)
  return errors.all
}
