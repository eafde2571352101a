import { canonicalJson } from "../json.ts"
import type { ControllerRevision } from "../objects/ControllerRevision.ts"
import type { PodSpec } from "../objects/Pod.ts"
import type {
  CSIDriver,
  CSIStorageCapacity,
  RuntimeClass,
  StorageClass,
  VolumeAttributesClass
} from "../objects/StorageClass.ts"
import { canonicalQuantity, signOf } from "../quantity/Quantity.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { sortedMap } from "./goFormat.ts"
import { shownSelector, validateLabelName, validateLabelSelector, validateLabels } from "./labels.ts"
import { makeRules } from "./makeRules.ts"
import { byteLength, isDNS1123Label, isQualifiedName, nameIsDNSSubdomain } from "./names.ts"
import { validateResourceRequirements } from "./resources.ts"
import { semanticEqual, semanticEqualMaps } from "./semanticEqual.ts"
import { validateTolerations } from "./tolerations.ts"

/**
 * Validation of classes and other small kinds that refer to drivers and runtimes.
 * Upstream: pkg/apis/storage/validation, pkg/apis/node/validation, pkg/apis/apps/validation ValidateControllerRevision.
 */

const immutableMessage = "field is immutable"

const checkUnchanged = (errors: ErrorList, value: unknown, old: unknown, path: string, shown = value): void => {
  if (!semanticEqual(value, old)) errors.invalid(path, shown, immutableMessage)
}

const reclaimPolicies: ReadonlyArray<string> = ["Delete", "Retain"]
const bindingModes: ReadonlyArray<string> = ["Immediate", "WaitForFirstConsumer"]
const maxParameters = 512
const maxParameterBytes = 256 * 1024

/** Upstream: validateParameters. */
const checkParameters = (
  errors: ErrorList,
  parameters: Readonly<Record<string, string>>,
  canBeEmpty: boolean
): void => {
  const entries = Object.entries(parameters)
  if (entries.length > maxParameters) {
    errors.tooLong("parameters", maxParameters)
    return
  }
  let bytes = 0
  for (const [key, value] of entries) {
    if (key === "") errors.invalid("parameters", key, "field can not be empty.")
    bytes += byteLength(key) + byteLength(value)
  }
  if (bytes > maxParameterBytes) errors.tooLong("parameters", maxParameterBytes)
  if (!canBeEmpty && entries.length === 0) {
    errors.required("parameters", "must contain at least one key/value pair")
  }
}

const checkProvisioner = (errors: ErrorList, provisioner: string, path: string): void => {
  if (provisioner === "") errors.required(path, provisioner)
  else errors.invalidEach(path, provisioner.toLowerCase(), isQualifiedName(provisioner.toLowerCase()))
}

/** Checks one term and returns the sets of values that it allows by key, as a text. */
const checkTerm = (errors: ErrorList, { matchLabelExpressions = [] }: TopologyTerm, path: string): string => {
  const allowed: Record<string, unknown> = {}
  matchLabelExpressions.forEach(({ key, values }, index) => {
    const at = `${path}.matchLabelExpressions[${index}]`
    const set = new Set<string>()
    if ((values ?? []).length === 0) errors.required(`${at}.values`)
    values?.forEach((value, position) => {
      if (set.has(value)) errors.duplicate(`${at}.values[${position}]`, value)
      set.add(value)
    })
    validateLabelName(errors, key, `${at}.key`)
    if (Object.hasOwn(allowed, key)) errors.duplicate(`${at}.key`, key)
    allowed[key] = [...set].sort()
  })
  return canonicalJson(allowed)
}

type TopologyTerm = NonNullable<StorageClass["allowedTopologies"]>[number]

/** Upstream: validateAllowedTopologies, whose list of earlier terms starts with as many empty ones as there are terms. */
const checkTopologies = (errors: ErrorList, terms: ReadonlyArray<TopologyTerm>): void => {
  const earlier = terms.map(() => "{}")
  terms.forEach((term, index) => {
    const path = `allowedTopologies[${index}]`
    const allowed = checkTerm(errors, term, path)
    for (const other of earlier) {
      if (allowed === other) errors.duplicate(`${path}.matchLabelExpressions`, "")
    }
    earlier.push(allowed)
  })
}

export const storageClassRules = makeRules<StorageClass>("Cluster", {
  onUpdate: "first",
  check: (errors, { allowedTopologies = [], parameters = {}, provisioner, reclaimPolicy = "", volumeBindingMode }) => {
    checkProvisioner(errors, provisioner, "provisioner")
    checkParameters(errors, parameters, true)
    if ((reclaimPolicy as string) !== "" && !reclaimPolicies.includes(reclaimPolicy)) {
      errors.notSupported("reclaimPolicy", reclaimPolicy, reclaimPolicies)
    }
    if (volumeBindingMode === undefined) errors.required("volumeBindingMode")
    else if (!bindingModes.includes(volumeBindingMode)) {
      errors.notSupported("volumeBindingMode", volumeBindingMode, bindingModes)
    }
    checkTopologies(errors, allowedTopologies)
  },
  unchanged: (errors, object, old) => {
    if (!semanticEqualMaps(object.parameters, old.parameters)) {
      errors.invalid("parameters", sortedMap(object.parameters), immutableMessage)
    }
    checkUnchanged(errors, object.provisioner, old.provisioner, "provisioner")
    for (const field of ["reclaimPolicy", "volumeBindingMode"] as const) {
      checkUnchanged(errors, object[field], old[field], field, typed(object[field]))
    }
  }
})

const lifecycleModes = ["Persistent", "Ephemeral"]
/** The bounds of a token's life, in seconds. */
const MIN_TOKEN_SECONDS = 600
const MAX_TOKEN_SECONDS = 2 ** 32
const MIN_UPDATE_SECONDS = 10
const fsGroupPolicies = ["File", "None", "ReadWriteOnceWithFSType"]

const checkTokenRequests = (errors: ErrorList, requests: NonNullable<CSIDriver["spec"]["tokenRequests"]>): void => {
  const audiences = new Set<string>()
  for (const [index, { audience, expirationSeconds }] of requests.entries()) {
    const at = `spec.tokenRequests[${index}]`
    if (audiences.has(audience)) {
      errors.duplicate(`${at}.audience`, audience)
      continue
    }
    audiences.add(audience)
    if (expirationSeconds === undefined) continue
    const path = `${at}.expirationSeconds`
    if (expirationSeconds < MIN_TOKEN_SECONDS) {
      errors.invalid(path, expirationSeconds, "may not specify a duration less than 10 minutes")
    }
    if (expirationSeconds > MAX_TOKEN_SECONDS) {
      errors.invalid(path, expirationSeconds, "may not specify a duration larger than 2^32 seconds")
    }
  }
}

/** A CSIDriver's name is that of the driver. Upstream: ValidateCSIDriverName. */
export const csiDriverRules = makeRules<CSIDriver>("Cluster", {
  onUpdate: "change",
  check: (errors, { spec }) => {
    const policy = spec.fsGroupPolicy
    if (policy !== undefined && !fsGroupPolicies.includes(policy)) {
      errors.notSupported("spec.fsGroupPolicy", policy, fsGroupPolicies)
    }
    checkTokenRequests(errors, spec.tokenRequests ?? [])
    for (const mode of spec.volumeLifecycleModes ?? []) {
      if (!lifecycleModes.includes(mode)) errors.notSupported("spec.volumeLifecycleModes", mode, lifecycleModes)
    }
    const period = spec.nodeAllocatableUpdatePeriodSeconds
    if (period !== undefined && period < MIN_UPDATE_SECONDS) {
      errors.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, "must be greater than or equal to 10 seconds")
    }
    const inSecrets = spec.serviceAccountTokenInSecrets
    if (inSecrets !== undefined && (spec.tokenRequests ?? []).length === 0) {
      errors.invalid(
        "spec.serviceAccountTokenInSecrets",
        inSecrets,
        "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
      )
    }
  },
  changed: (errors, { spec }, { spec: old }) => {
    checkUnchanged(errors, spec.attachRequired, old.attachRequired, "spec.attachedRequired")
    checkUnchanged(errors, spec.volumeLifecycleModes, old.volumeLifecycleModes, "spec.volumeLifecycleModes")
  }
})

export const csiStorageCapacityRules = makeRules<CSIStorageCapacity>("Namespaced", {
  onUpdate: "first",
  check: (errors, { capacity, nodeTopology, storageClassName }) => {
    validateLabelSelector(errors, nodeTopology, "nodeTopology")
    errors.invalidEach("storageClassName", storageClassName, nameIsDNSSubdomain(storageClassName, false))
    if (capacity !== undefined && signOf(capacity) < 0) {
      errors.invalid("capacity", canonicalQuantity(capacity), "must be greater than or equal to 0")
    }
  },
  unchanged: (errors, object, old) => {
    // A selector of everything is not an absent one, which selects nothing.
    const isSame = (object.nodeTopology === undefined) === (old.nodeTopology === undefined)
    if (!isSame || !semanticEqual(object.nodeTopology, old.nodeTopology)) {
      errors.invalid("nodeTopology", shownSelector(object.nodeTopology), immutableMessage)
    }
    checkUnchanged(errors, object.storageClassName, old.storageClassName, "storageClassName")
  }
})

export const volumeAttributesClassRules = makeRules<VolumeAttributesClass>("Cluster", {
  check: (errors, { driverName, parameters = {} }) => {
    checkProvisioner(errors, driverName, "driverName")
    checkParameters(errors, parameters, false)
  },
  unchanged: (errors, object, old) => {
    for (const field of ["driverName", "parameters"] as const) {
      const isSame =
        field === "parameters" ? semanticEqualMaps(object[field], old[field]) : object[field] === old[field]
      if (!isSame) errors.forbidden(field, `updates to ${field} are forbidden.`)
    }
  }
})

type Tolerations = NonNullable<PodSpec["tolerations"]>

/** A toleration may occur once, whatever its seconds. Upstream: pkg/apis/node/validation/validation.go. */
const checkTolerations = (errors: ErrorList, tolerations: Tolerations): void => {
  const path = "scheduling.tolerations"
  validateTolerations(errors, tolerations, path)
  const seen = new Set<string>()
  tolerations.forEach(({ effect = "", key = "", operator = "", tolerationSeconds, value = "" }, index) => {
    const identity = JSON.stringify([key, operator, value, effect])
    const shown = { Key: key, Operator: operator, Value: value, Effect: effect }
    if (seen.has(identity)) {
      errors.duplicate(`${path}[${index}]`, { ...shown, TolerationSeconds: tolerationSeconds ?? null })
    }
    seen.add(identity)
  })
}

export const runtimeClassRules = makeRules<RuntimeClass>("Cluster", {
  onUpdate: "first",
  anyFinalizers: true,
  check: (errors, { handler, overhead, scheduling }) => {
    if (handler === "") errors.required("handler")
    else errors.invalidEach("handler", handler, isDNS1123Label(handler))
    if (overhead?.podFixed !== undefined)
      validateResourceRequirements(errors, { limits: overhead.podFixed }, "overhead", "container")
    validateLabels(errors, scheduling?.nodeSelector, "scheduling.nodeSelector")
    checkTolerations(errors, (scheduling?.tolerations ?? []) as Tolerations)
  },
  unchanged: (errors, { handler }, old) => checkUnchanged(errors, handler, old.handler, "handler")
})

export const controllerRevisionRules = makeRules<ControllerRevision>("Namespaced", {
  check: (errors, { data, revision }, old) => {
    errors.nonNegative("revision", revision)
    if (old !== undefined) return
    if (data === undefined || data === null) errors.required("data", "data is mandatory")
    else if (typeof data !== "object" || Array.isArray(data))
      errors.required("data", "data must be a valid JSON object")
  },
  changed: (errors, { data }, old) => checkUnchanged(errors, data, old.data, "data")
})
