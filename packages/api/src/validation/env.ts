import type { Container, EnvVar } from "../objects/Container.ts"
import type { ErrorList } from "./ErrorList.ts"
import { isConfigMapKey, isEnvVarName, isQualifiedName, nameIsDNSSubdomain } from "./names.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateEnv and ValidateEnvFrom. */

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const fieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs"
]

/** Fields that the downward API can convert; only those in `fieldPaths` are allowed in a variable. */
const knownPaths: ReadonlyArray<string> = [
  ...fieldPaths,
  "metadata.labels",
  "metadata.annotations",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase"
]

/** Splits `field['key']` at the last `['` that a key may follow. */
const splitSubscript = (path: string): readonly [field: string, key: string] | undefined => {
  const open = path.endsWith("']") ? path.lastIndexOf("['", path.length - 4) : -1
  return open < 1 || /[\n\r\u2028\u2029]/.test(path) ? undefined : [path.slice(0, open), path.slice(open + 2, -2)]
}

const checkFieldRef = (errors: ErrorList, reference: Fields, path: string): void => {
  const given = text(reference.fieldPath)
  const fieldPath = given === "spec.host" ? "spec.nodeName" : given
  if (fieldPath === "") {
    errors.required(`${path}.fieldPath`)
    return
  }
  const [field, key] = splitSubscript(fieldPath) ?? [fieldPath, undefined]
  if (key !== undefined && field === "metadata.annotations") {
    errors.invalidEach(path, key.toLowerCase(), isQualifiedName(key.toLowerCase()))
  } else if (key !== undefined && field === "metadata.labels") errors.invalidEach(path, key, isQualifiedName(key))
  else if (key !== undefined || !knownPaths.includes(field)) {
    const why =
      key === undefined ? `field label not supported: ${field}` : `field label does not support subscript: ${fieldPath}`
    errors.invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`)
  } else if (!fieldPaths.includes(field)) errors.notSupported(`${path}.fieldPath`, field, fieldPaths)
}

const resourcePaths = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory"
]

const checkResourceRef = (errors: ErrorList, reference: Fields, path: string): void => {
  const resource = text(reference.resource)
  if (resource === "") errors.required(`${path}.resource`)
  else if (!resourcePaths.includes(resource) && !/^(?:limits|requests)\.hugepages-/.test(resource)) {
    errors.notSupported(`${path}.resource`, resource, resourcePaths)
  }
}

const checkKeyRef = (errors: ErrorList, reference: Fields, path: string): void => {
  const name = text(reference.name)
  const key = text(reference.key)
  errors.invalidEach(`${path}.name`, name, nameIsDNSSubdomain(name, false))
  if (key === "") errors.required(`${path}.key`)
  else errors.invalidEach(`${path}.key`, key, isConfigMapKey(key))
}

const valueSources: ReadonlyArray<readonly [string, (errors: ErrorList, reference: Fields, path: string) => void]> = [
  ["fieldRef", checkFieldRef],
  ["resourceFieldRef", checkResourceRef],
  ["configMapKeyRef", checkKeyRef],
  ["secretKeyRef", checkKeyRef],
  ["fileKeyRef", () => {}]
]

const checkValueFrom = (errors: ErrorList, { value, valueFrom }: EnvVar, path: string): void => {
  if (valueFrom === undefined) return
  let found = 0
  for (const [field, check] of valueSources) {
    const reference = valueFrom[field]
    if (!isFields(reference)) continue
    found++
    check(errors, reference, `${path}.${field}`)
  }
  if (found === 0) {
    errors.invalid(
      path,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
    )
  } else if (value) errors.invalid(path, "", "may not be specified when `value` is not empty")
  else if (found > 1) errors.invalid(path, "", "may not have more than one field specified at a time")
}

export const validateEnv = (errors: ErrorList, { env, envFrom }: Container, path: string): void => {
  env?.forEach((variable, index) => {
    const at = `${path}.env[${index}]`
    if (!variable.name) errors.required(`${at}.name`)
    else errors.invalidEach(`${at}.name`, variable.name, isEnvVarName(variable.name))
    checkValueFrom(errors, variable, `${at}.valueFrom`)
  })
  envFrom?.forEach((source, index) => {
    const at = `${path}.envFrom[${index}]`
    const prefix = text(source.prefix)
    if (prefix !== "") errors.invalidEach(`${at}.prefix`, prefix, isEnvVarName(prefix))
    const references = ["configMapRef", "secretRef"].filter((field) => isFields(source[field]))
    for (const field of references) {
      const reference = source[field]
      const name = isFields(reference) ? text(reference.name) : ""
      if (name === "") errors.required(`${at}.${field}.name`)
      else errors.invalidEach(`${at}.${field}.name`, name, nameIsDNSSubdomain(name, true))
    }
    // The path has no index, as upstream.
    if (references.length === 0) {
      errors.invalid(`${path}.envFrom`, "", "must specify one of: `configMapRef` or `secretRef`")
    } else if (references.length > 1) {
      errors.invalid(`${path}.envFrom`, "", "may not have more than one field specified at a time")
    }
  })
}
