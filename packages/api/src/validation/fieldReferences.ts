import { canonicalQuantity, signOf } from "../quantity/Quantity.ts"
import type { ErrorList } from "./ErrorList.ts"
import { isQualifiedName } from "./names.ts"

/*
 * References to fields of a pod and to resources of a container. Upstream: pkg/apis/core/validation/validation.go,
 * validateObjectFieldSelector and validateContainerResourceFieldSelector.
 */

type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Fields that a variable may have. */
export const variablePaths: ReadonlyArray<string> = [
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

/** Fields that a file of a volume may have. */
export const filePaths: ReadonlyArray<string> = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid"
]

/** Fields that the downward API can convert. */
const knownPaths: ReadonlyArray<string> = [
  ...variablePaths,
  ...filePaths,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase"
]

/** Splits `field['key']` at the last `['` that a key may follow. */
const splitSubscript = (path: string): readonly [field: string, key: string] | undefined => {
  const open = path.endsWith("']") ? path.lastIndexOf("['", path.length - 4) : -1
  return open < 1 || /[\n\r\u2028\u2029]/.test(path) ? undefined : [path.slice(0, open), path.slice(open + 2, -2)]
}

/** Checks a reference to one of the fields `allowed`. */
export const validateFieldRef = (
  errors: ErrorList,
  reference: Fields,
  path: string,
  allowed: ReadonlyArray<string>
): void => {
  const given = text(reference.fieldPath)
  const fieldPath = given === "spec.host" ? "spec.nodeName" : given
  if (fieldPath === "") {
    errors.required(`${path}.fieldPath`)
    return
  }
  if (text(reference.apiVersion) !== "v1") {
    const why = `error converting fieldPath: unsupported pod version: ${text(reference.apiVersion)}`
    errors.invalid(`${path}.fieldPath`, given, why)
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
  } else if (!allowed.includes(field)) errors.notSupportedText(`${path}.fieldPath`, field, allowed)
}

const resourcePaths = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory"
]

const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"]

/** The divisors of each kind of resource, and how errors name it. */
const divisorsOf = (resource: string): readonly [divisors: ReadonlyArray<string>, shown: string] | undefined => {
  const name = resource.replace(/^(?:limits|requests)\./, "")
  if (name === resource) return undefined
  if (name === "cpu") return [["1m", "1"], "1m and 1 are supported with the cpu resource"]
  const shown = name.startsWith("hugepages-")
    ? "hugepages"
    : { memory: "memory", "ephemeral-storage": "local ephemeral storage" }[name]
  return shown === undefined
    ? undefined
    : [byteDivisors, `${byteDivisors.join(", ")} are supported with the ${shown} resource`]
}

const checkDivisor = (errors: ErrorList, { divisor, resource }: Fields, path: string): void => {
  if (typeof divisor !== "string" || signOf(divisor) === 0) return
  const [divisors, shown] = divisorsOf(text(resource)) ?? []
  if (divisors === undefined || divisors.includes(canonicalQuantity(divisor))) return
  errors.invalid(`${path}.divisor`, text(resource), `only divisor's values ${shown}`)
}

/** Checks a reference to a resource; a file of a volume also names the container. */
export const validateResourceRef = (
  errors: ErrorList,
  reference: Fields,
  path: string,
  target: "variable" | "file"
): void => {
  const resource = text(reference.resource)
  if (target === "file" && text(reference.containerName) === "") errors.required(`${path}.containerName`)
  else if (resource === "") errors.required(`${path}.resource`)
  else if (!resourcePaths.includes(resource) && !/^(?:limits|requests)\.hugepages-/.test(resource)) {
    errors.notSupportedText(`${path}.resource`, resource, resourcePaths)
  }
  checkDivisor(errors, reference, path)
}
