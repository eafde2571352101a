import * as Result from "effect/Result"
import { memberOf } from "../memberOf.ts"
import type { ResourceRequirements } from "../objects/Container.ts"
import type { Quantity as WireQuantity } from "../objects/Scalars.ts"
import type { Amount } from "../quantity/Amount.ts"
import { parseQuantity } from "../quantity/parseQuantity.ts"
import { compareQuantity, formatQuantity, hasWholeMilli, signOf, value } from "../quantity/Quantity.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { isDNS1123Label, isQualifiedName } from "./names.ts"

/**
 * Validation of resource names and amounts.
 * Upstream: pkg/apis/core/helper/helpers.go; pkg/apis/core/validation/validation.go, validateResourceRequirements.
 */

const hugePagesPrefix = "hugepages-"

const countable: ReadonlyArray<string> = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers"
]

const standardForContainers: ReadonlyArray<string> = ["cpu", "memory", "ephemeral-storage"]

const standard: ReadonlySet<string> = new Set([
  ...standardForContainers,
  ...countable,
  ...["cpu", "memory", "storage", "ephemeral-storage"].map((name) => `requests.${name}`),
  ...["cpu", "memory", "ephemeral-storage"].map((name) => `limits.${name}`)
])

/** Whether quotas count the resource. */
export const isQuotaResource = (name: string): boolean =>
  standard.has(name) || isHugePages(name) || name.startsWith(`requests.${hugePagesPrefix}`)

const isHugePages = (name: string): boolean => name.startsWith(hugePagesPrefix)

/** Whether the name is in Kubernetes' own namespace: without a prefix, or below kubernetes.io. */
export const isNativeResource = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/")

/** Whether a device plugin or an operator added this resource to a node. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith("requests.") && isQualifiedName(`requests.${name}`).length === 0

/** Whether the resource is counted in integers. */
const isInteger = (name: string): boolean => countable.includes(name) || isExtendedResource(name)

/** Whether the limit may exceed the request. */
export const allowsOvercommit = (name: string): boolean => isNativeResource(name) && !isHugePages(name)

/** Returns the amount, or undefined after reporting an invalid quantity; upstream fails when it decodes. */
const amountAt = (errors: ErrorList, quantity: WireQuantity, path: string): Amount | undefined => {
  const parsed = parseQuantity(String(quantity).trim())
  if (Result.isSuccess(parsed)) return parsed.success
  errors.invalid(path, String(quantity), parsed.failure.message)
  return undefined
}

const checkAmount = (errors: ErrorList, name: string, amount: Amount, path: string): void => {
  if (signOf(amount) < 0) errors.invalid(path, formatQuantity(amount), "must be greater than or equal to 0")
  if (isInteger(name) && !hasWholeMilli(amount)) {
    errors.invalid(path, formatQuantity(amount), "must be an integer")
  }
}

/** Checks a quantity of a named resource: not negative, and an integer where the resource is countable. */
export const validateResourceQuantity = (
  errors: ErrorList,
  name: string,
  quantity: WireQuantity,
  path: string
): Amount | undefined => {
  const amount = amountAt(errors, quantity, path)
  if (amount !== undefined) checkAmount(errors, name, amount, path)
  return amount
}

/** Checks the name of a resource, and returns whether it is one. Upstream: validateResourceName. */
export const checkResourceName = (errors: ErrorList, name: string, path: string): boolean => {
  const messages = isQualifiedName(name)
  if (messages.length > 0) {
    errors.invalidEach(path, typed(name), messages)
    return false
  }
  if (name.includes("/") || name === "storage" || isQuotaResource(name)) return true
  errors.invalid(path, typed(name), "must be a standard resource type or fully qualified")
  return false
}

/** Checks the name of a resource of containers. Upstream: validateContainerResourceName. */
export const checkContainerResource = (errors: ErrorList, name: string, path: string): void => {
  checkResourceName(errors, name, path)
  if (!name.includes("/")) {
    if (!standardForContainers.includes(name) && !isHugePages(name)) {
      errors.invalid(path, typed(name), "must be a standard resource for containers")
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.invalid(path, typed(name), "doesn't follow extended resource name standard")
  }
}

const supportedForPods: ReadonlyArray<string> = ["cpu", "memory"]
const shownForPods = ["cpu", hugePagesPrefix, "memory"]

const checkPodResource = (errors: ErrorList, name: string, path: string): void => {
  if (!checkResourceName(errors, name, path)) return
  if (!supportedForPods.includes(name) && !isHugePages(name)) errors.notSupported(path, name, shownForPods)
}

const checkHugePages = (errors: ErrorList, name: string, amount: Amount, path: string): void => {
  const size = parseQuantity(name.slice(hugePagesPrefix.length))
  const bytes = Result.isSuccess(size) ? value(size.success) : 0
  if (bytes > 0 && value(amount) % bytes === 0) return
  errors.invalid(path, formatQuantity(amount), `${formatQuantity(amount)} is not positive integer multiple of ${name}`)
}

const checkAgainstLimit = (
  errors: ErrorList,
  name: string,
  amount: Amount,
  limit: WireQuantity | undefined,
  path: string
): void => {
  if (limit === undefined) {
    if (!allowsOvercommit(name)) {
      errors.required(`${path}.limits`, "Limit must be set for non overcommitable resources")
    }
    return
  }
  const parsed = parseQuantity(String(limit).trim())
  if (!Result.isSuccess(parsed)) return
  const order = compareQuantity(amount, parsed.success)
  const shown = formatQuantity(parsed.success)
  if (order !== 0 && !allowsOvercommit(name)) {
    errors.invalid(`${path}.requests`, formatQuantity(amount), `must be equal to ${name} limit of ${shown}`)
  } else if (order > 0) {
    errors.invalid(
      `${path}.requests`,
      formatQuantity(amount),
      `must be less than or equal to ${name} limit of ${shown}`
    )
  }
}

/** Validates the requests and limits of a container or of a whole pod. `claimNames` are the pod's resource claims. */
export const validateResourceRequirements = (
  errors: ErrorList,
  requirements: ResourceRequirements | undefined,
  path: string,
  target: "container" | "pod",
  claimNames: ReadonlyArray<string> = []
): void => {
  if (requirements === undefined) return
  const { claims, limits, requests } = requirements
  const checkResource = target === "container" ? checkContainerResource : checkPodResource
  let hasComputeResource = false
  let hasHugePages = false
  const checkEntry = (name: string, quantity: WireQuantity, at: string, before: (amount: Amount) => void): void => {
    checkResource(errors, name, at)
    const amount = validateResourceQuantity(errors, name, quantity, at)
    if (name === "cpu" || name === "memory") hasComputeResource = true
    if (isHugePages(name)) hasHugePages = true
    if (amount === undefined) return
    before(amount)
    if (isHugePages(name)) checkHugePages(errors, name, amount, at)
  }
  for (const [name, quantity] of Object.entries(limits ?? {})) {
    checkEntry(name, quantity, `${path}.limits[${name}]`, () => {})
  }
  for (const [name, quantity] of Object.entries(requests ?? {})) {
    checkEntry(name, quantity, `${path}.requests[${name}]`, (amount) => {
      checkAgainstLimit(errors, name, amount, memberOf(limits, name), path)
    })
  }
  if (hasHugePages && !hasComputeResource) errors.forbidden(path, "HugePages require cpu or memory")
  checkClaims(errors, claims, claimNames, `${path}.claims`)
}

const checkClaims = (
  errors: ErrorList,
  claims: ResourceRequirements["claims"],
  claimNames: ReadonlyArray<string>,
  path: string
): void => {
  if (claims === undefined) return
  const seen = new Set<string>()
  /** How many single requests of a claim were selected. */
  const selected = new Map<string, number>()
  const declared = new Set(claimNames)
  const known = claimNames.length === 0 ? " which is empty" : `: ${[...declared].sort().join(", ")}`
  claims.forEach(({ name, request }, index) => {
    const at = `${path}[${index}]`
    if (!name) {
      errors.required(at)
      return
    }
    if (seen.has(name)) errors.duplicate(at, name)
    else {
      const key = request ? `${name}/${request}` : name
      if (request) errors.invalidEach(`${at}.request`, request, isDNS1123Label(request))
      if (seen.has(key)) errors.duplicate(at, key)
      else if (request) selected.set(name, (selected.get(name) ?? 0) + 1)
      else for (let count = selected.get(name) ?? 0; count > 0; count--) errors.duplicate(at, name)
      seen.add(key)
    }
    if (declared.has(name)) return
    errors.notFound(at, name, `must be one of the names in pod.spec.resourceClaims${known}`)
  })
}
