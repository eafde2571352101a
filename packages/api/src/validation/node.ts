import type { Node, Taint } from "../objects/Node.ts"
import type { ResourceList } from "../objects/Scalars.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, noErrors } from "./FieldError.ts"
import { goQuote } from "./goQuote.ts"
import { isDualStack, parseCIDR, validateCIDR } from "./ip.ts"
import { jsonObjectFault } from "./jsonObjectFault.ts"
import { validateLabelName } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { byteLength, isValidLabelValue, nameIsDNSSubdomain } from "./names.ts"
import { validateResourceQuantity } from "./resources.ts"
import { validateTaintEffect } from "./taintEffect.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidateNode and ValidateNodeUpdate; pkg/registry/core/node/strategy.go. */

const options = { namespaced: false, name: nameIsDNSSubdomain, standardFinalizers: true } as const

const shownTaint = ({ effect, key, timeAdded, value }: Taint): unknown => ({
  Key: key ?? "",
  Value: value ?? "",
  Effect: effect ?? "",
  TimeAdded: timeAdded ?? null
})

/** Checks the taints. Like upstream's, the paths of the errors are below metadata. */
const checkTaints = (errors: ErrorList, taints: ReadonlyArray<Taint> | undefined): void => {
  if (taints === undefined) return
  const seen = new Set<string>()
  taints.forEach((taint, index) => {
    const path = `metadata.taints[${index}]`
    const { effect = "", key = "", value = "" } = taint
    validateLabelName(errors, key, `${path}.key`)
    const faults = isValidLabelValue(value)
    if (faults.length > 0) errors.invalid(`${path}.value`, value, faults.join(";"))
    validateTaintEffect(errors, effect, `${path}.effect`)
    const effectAndKey = `${effect} ${key}`
    if (seen.has(effectAndKey)) {
      errors.duplicate(path, shownTaint(taint), "taints must be unique by key and effect pair")
    }
    seen.add(effectAndKey)
  })
}

const avoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods"

interface AvoidPods {
  readonly preferAvoidPods?: ReadonlyArray<{
    readonly podSignature?: { readonly podController?: { readonly controller?: boolean } | null } | null
  } | null> | null
}

const checkAnnotations = (errors: ErrorList, node: Node): void => {
  const annotation = node.metadata?.annotations?.[avoidPods]
  if (!annotation) return
  const fault = jsonObjectFault(annotation, "v1.AvoidPods")
  if (fault !== undefined) {
    errors.invalid("metadata.annotations.AvoidPods", avoidPods, fault)
    return
  }
  const parsed: AvoidPods | null = JSON.parse(annotation)
  if (!Array.isArray(parsed?.preferAvoidPods)) return
  parsed.preferAvoidPods.forEach((entry, index) => {
    const at = `metadata.annotations.${avoidPods}[${index}].PodSignature`
    const controller = entry?.podSignature?.podController
    if (!controller) errors.required(at)
    else if (controller.controller !== true) {
      errors.invalid(`${at}.PodController.Controller`, false, "must point to a controller")
    }
  })
}

const checkQuantities = (errors: ErrorList, list: ResourceList | undefined, path: string): void => {
  if (list === undefined) return
  for (const name of Object.keys(list)) {
    // A part of a path without a name is written like an index.
    const at = name === "" ? `${path}[]` : `${path}.${name}`
    validateResourceQuantity(errors, name, list[name] ?? 0, at)
  }
}

/** Any resource name is allowed here; only amounts are checked. */
const checkResources = (errors: ErrorList, node: Node): void => {
  checkQuantities(errors, node.status?.capacity, "status.capacity")
  checkQuantities(errors, node.status?.allocatable, "status.allocatable")
}

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z0-9]+)*$/
const featureText =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"

const checkDeclaredFeatures = (errors: ErrorList, features: ReadonlyArray<string> = []): void => {
  features.forEach((feature, index) => {
    const path = `status.declaredFeatures[${index}]`
    const name = `invalid feature name ${goQuote(feature)}`
    if (byteLength(feature) > 253) errors.invalid(path, feature, `${name}: must be no more than 253 characters`)
    else if (!featureName.test(feature)) errors.invalid(path, feature, `${name}: ${featureText}`)
    const next = features[index + 1]
    if (next === feature) errors.duplicate(`status.declaredFeatures[${index + 1}]`, next)
    else if (next !== undefined && feature > next) {
      errors.invalid(`status.declaredFeatures[${index + 1}]`, next, "list must be sorted alphabetically")
    }
  })
}

const checkPodCIDRs = (errors: ErrorList, cidrs: ReadonlyArray<string> = []): void => {
  cidrs.forEach((cidr, index) => {
    validateCIDR(errors, cidr, `spec.podCIDRs[${index}]`)
  })
  if (cidrs.length < 2) return
  const parsed = cidrs.map(parseCIDR)
  const invalidIndex = parsed.indexOf(undefined)
  if (invalidIndex >= 0) {
    const parseError = `invalid CIDR[${invalidIndex}]: <nil> (invalid CIDR address: ${cidrs[invalidIndex]})`
    errors.add(
      "InternalError",
      "spec.podCIDRs",
      undefined,
      `invalid PodCIDRs. failed to check with dual stack with error:${parseError}`
    )
  }
  if (invalidIndex >= 0 || !isDualStack(parsed.map((cidr) => cidr?.address))) {
    errors.invalid("spec.podCIDRs", cidrs, "may specify no more than one CIDR for each IP family")
  }
}

const checkNode = (errors: ErrorList, node: Node): void => {
  validateObjectMeta(errors, node.metadata, options)
  checkAnnotations(errors, node)
  checkTaints(errors, node.spec?.taints)
  checkResources(errors, node)
  const swap = node.status?.nodeInfo?.swap?.capacity
  if (swap !== undefined && swap <= 0) {
    errors.invalid("metadata.nodeSwapStatus.capacity", swap, "must be greater than zero")
  }
  checkDeclaredFeatures(errors, node.status?.declaredFeatures)
  checkPodCIDRs(errors, node.spec?.podCIDRs)
}

/** Validates a Node to be created, after defaulting, when podCIDR and podCIDRs agree. */
export const validateNode = (node: Node): FieldErrors => {
  const errors = new ErrorList()
  checkNode(errors, node)
  return errors.all
}

const checkAddresses = (errors: ErrorList, node: Node): void => {
  const addresses = node.status?.addresses
  if (addresses === undefined || addresses.length < 2) return
  const seen = new Set<string>()
  addresses.forEach(({ address, type }, index) => {
    const typeAndAddress = `${type} ${address}`
    if (seen.has(typeAndAddress))
      errors.duplicate(`status.addresses[${index}]`, { Type: type ?? "", Address: address ?? "" })
    seen.add(typeAndAddress)
  })
}

const changedOnceSetMessage = (field: string) => `node updates may not change ${field} except from "" to valid`

const checkImmutable = (errors: ErrorList, node: Node, old: Node): void => {
  if (node.spec === old.spec) return
  const cidrs = node.spec?.podCIDRs ?? []
  const stored = old.spec?.podCIDRs ?? []
  if (stored.length > 0) {
    if (stored.length !== cidrs.length) errors.forbidden("spec.podCIDRs", changedOnceSetMessage("podCIDR"))
    else {
      stored.forEach((cidr, index) => {
        if (cidr !== cidrs[index]) errors.forbidden("spec.podCIDRs", changedOnceSetMessage("podCIDR"))
      })
    }
  }
  if (old.spec?.providerID && old.spec.providerID !== node.spec?.providerID) {
    errors.forbidden("spec.providerID", changedOnceSetMessage("providerID"))
  }
}

const checkUpdate = (errors: ErrorList, node: Node, old: Node): void => {
  validateObjectMetaUpdate(errors, node.metadata, old.metadata, options)
  if (node.metadata.annotations !== old.metadata.annotations) checkAnnotations(errors, node)
  const status = node.status
  if (status?.capacity !== old.status?.capacity || status?.allocatable !== old.status?.allocatable) {
    checkResources(errors, node)
  }
  if (status?.declaredFeatures !== old.status?.declaredFeatures) {
    checkDeclaredFeatures(errors, status?.declaredFeatures)
  }
  if (status?.addresses !== old.status?.addresses) checkAddresses(errors, node)
  checkImmutable(errors, node, old)
  if (node.spec?.taints !== old.spec?.taints) checkTaints(errors, node.spec?.taints)
  if ((node.spec?.externalID ?? "") !== (old.spec?.externalID ?? "")) {
    errors.forbidden("spec.externalID", "may not be updated")
  }
}

/**
 * Validates an update of the Node itself: all checks of a create, then those of immutable fields; so some errors occur
 * twice.
 */
export const validateNodeUpdate = (node: Node, old: Node): FieldErrors => {
  const errors = new ErrorList()
  checkNode(errors, node)
  checkUpdate(errors, node, old)
  return errors.all
}

/**
 * Validates an update through nodes/status, which every kubelet sends: parts shared with the stored node are not
 * checked again.
 */
export const validateNodeStatusUpdate = (node: Node, old: Node): FieldErrors => {
  if (node === old) return noErrors
  const errors = new ErrorList()
  checkUpdate(errors, node, old)
  return errors.all
}
