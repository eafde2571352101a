import type { Container, EnvVar } from "../objects/Container.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateFieldRef, validateResourceRef, variablePaths } from "./fieldReferences.ts"
import { isConfigMapKey, isDNS1123Label, isEnvVarName, nameIsDNSSubdomain } from "./names.ts"
import { validateNoBacksteps } from "./paths.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateEnv and ValidateEnvFrom. */

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const checkKeyRef = (errors: ErrorList, reference: Fields, path: string): void => {
  const name = text(reference.name)
  const key = text(reference.key)
  errors.invalidEach(`${path}.name`, name, nameIsDNSSubdomain(name, false))
  if (key === "") errors.required(`${path}.key`)
  else errors.invalidEach(`${path}.key`, key, isConfigMapKey(key))
}

/** Upstream: validateFileKeySelector. */
const checkFileKeyRef = (errors: ErrorList, reference: Fields, at: string): void => {
  const [key, volumeName, path] = [text(reference.key), text(reference.volumeName), text(reference.path)]
  if (key === "") errors.required(`${at}.key`)
  else errors.invalidEach(`${at}.key`, key, isEnvVarName(key))
  if (volumeName === "") errors.required(`${at}.volumeName`)
  else errors.invalidEach(`${at}.volumeName`, volumeName, isDNS1123Label(volumeName))
  if (path === "") errors.required(`${at}.path`)
  else validateNoBacksteps(errors, path, `${at}.path`)
}

const valueSources: ReadonlyArray<readonly [string, (errors: ErrorList, reference: Fields, path: string) => void]> = [
  ["fieldRef", (errors, reference, path) => validateFieldRef(errors, reference, path, variablePaths)],
  ["resourceFieldRef", (errors, reference, path) => validateResourceRef(errors, reference, path, "variable")],
  ["configMapKeyRef", checkKeyRef],
  ["secretKeyRef", checkKeyRef],
  ["fileKeyRef", checkFileKeyRef]
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
