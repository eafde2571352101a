import type { ControllerRevision } from "../objects/ControllerRevision.ts"
import type { KubeObject } from "../objects/Meta.ts"
import type { PodSpec } from "../objects/Pod.ts"
import type {
  CSIDriver,
  CSIStorageCapacity,
  RuntimeClass,
  StorageClass,
  VolumeAttributesClass
} from "../objects/StorageClass.ts"
import { canonicalQuantity, signOf } from "../quantity/Quantity.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { shownSelector, validateLabelSelector, validateLabels } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { isDNS1123Label, isQualifiedName, nameIsDNSSubdomain } from "./names.ts"
import { validateResourceRequirements } from "./resources.ts"
import { semanticEqual } from "./semanticEqual.ts"
import { validateTolerations } from "./tolerations.ts"

/**
 * Validation of classes and other small kinds that refer to drivers and runtimes.
 * Upstream: pkg/apis/storage/validation, pkg/apis/node/validation, pkg/apis/apps/validation ValidateControllerRevision.
 */

const clusterOptions = { namespaced: false, name: nameIsDNSSubdomain, standardFinalizers: true } as const
const namespacedOptions = { ...clusterOptions, namespaced: true } as const

const immutableMessage = "field is immutable"

/** Makes the rules of a kind whose updates repeat all checks of a create, and then check immutable fields. */
const makeRules = <A extends KubeObject>(
  options: typeof clusterOptions | typeof namespacedOptions,
  check: (errors: ErrorList, object: A) => void,
  checkUnchanged: (errors: ErrorList, object: A, old: A) => void
) => {
  const create = (object: A): FieldErrors => {
    const errors = new ErrorList()
    validateObjectMeta(errors, object.metadata, options)
    check(errors, object)
    return errors.all
  }
  const update = (object: A, old: A): FieldErrors => {
    const errors = new ErrorList()
    validateObjectMetaUpdate(errors, object.metadata, old.metadata)
    errors.append(create(object))
    checkUnchanged(errors, object, old)
    return errors.all
  }
  return { create, update }
}

const checkUnchanged = (errors: ErrorList, value: unknown, old: unknown, path: string): void => {
  if (!semanticEqual(value, old)) errors.invalid(path, value, immutableMessage)
}

const reclaimPolicies = ["Delete", "Retain"]
const bindingModes = ["Immediate", "WaitForFirstConsumer"]
const maxParameters = 512

const checkParameters = (errors: ErrorList, parameters: Readonly<Record<string, string>>): void => {
  const keys = Object.keys(parameters)
  if (keys.length > maxParameters) errors.tooLong("parameters", maxParameters)
  for (const key of keys) if (key === "") errors.invalid("parameters", key, "field can not be empty.")
}

const checkProvisioner = (errors: ErrorList, provisioner: string, path: string): void => {
  if (provisioner === "") errors.required(path, provisioner)
  else errors.invalidEach(path, provisioner, isQualifiedName(provisioner.toLowerCase()))
}

const checkMode = (errors: ErrorList, value: string | undefined, known: ReadonlyArray<string>, path: string): void => {
  if (value === undefined || value === "") errors.required(path)
  else if (!known.includes(value)) errors.notSupported(path, value, known)
}

export const storageClassRules = makeRules<StorageClass>(
  clusterOptions,
  (errors, { parameters = {}, provisioner, reclaimPolicy = "", volumeBindingMode }) => {
    checkProvisioner(errors, provisioner, "provisioner")
    checkParameters(errors, parameters)
    if (!reclaimPolicies.includes(reclaimPolicy)) errors.notSupported("reclaimPolicy", reclaimPolicy, reclaimPolicies)
    checkMode(errors, volumeBindingMode, bindingModes, "volumeBindingMode")
  },
  (errors, object, old) => {
    for (const field of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const) {
      checkUnchanged(errors, object[field], old[field], field)
    }
  }
)

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

export const csiDriverRules = makeRules<CSIDriver>(
  clusterOptions,
  (errors, { spec }) => {
    for (const field of ["attachRequired", "podInfoOnMount", "storageCapacity"] as const) {
      if (spec[field] === undefined) errors.required(`spec.${field}`)
    }
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
  },
  (errors, { spec }, { spec: old }) => {
    checkUnchanged(errors, spec.attachRequired, old.attachRequired, "spec.attachedRequired")
    checkUnchanged(errors, spec.volumeLifecycleModes, old.volumeLifecycleModes, "spec.volumeLifecycleModes")
  }
)

export const csiStorageCapacityRules = makeRules<CSIStorageCapacity>(
  namespacedOptions,
  (errors, { capacity, maximumVolumeSize, nodeTopology, storageClassName }) => {
    validateLabelSelector(errors, nodeTopology, "nodeTopology")
    errors.invalidEach("storageClassName", storageClassName, nameIsDNSSubdomain(storageClassName, false))
    for (const [field, quantity] of Object.entries({ capacity, maximumVolumeSize })) {
      if (quantity !== undefined && signOf(quantity) < 0) {
        errors.invalid(field, canonicalQuantity(quantity), "must be greater than or equal to 0")
      }
    }
  },
  (errors, object, old) => {
    if (!semanticEqual(object.nodeTopology, old.nodeTopology)) {
      errors.invalid("nodeTopology", shownSelector(object.nodeTopology), immutableMessage)
    }
    checkUnchanged(errors, object.storageClassName, old.storageClassName, "storageClassName")
  }
)

export const volumeAttributesClassRules = makeRules<VolumeAttributesClass>(
  clusterOptions,
  (errors, { driverName, parameters = {} }) => {
    checkProvisioner(errors, driverName, "driverName")
    if (Object.keys(parameters).length === 0) {
      errors.required("parameters", "must contain at least one key/value pair")
    }
    checkParameters(errors, parameters)
  },
  (errors, object, old) => {
    for (const field of ["driverName", "parameters"] as const) {
      if (!semanticEqual(object[field], old[field])) errors.forbidden(field, `updates to ${field} are forbidden.`)
    }
  }
)

export const runtimeClassRules = makeRules<RuntimeClass>(
  clusterOptions,
  (errors, { handler, overhead, scheduling }) => {
    if (handler === "") errors.required("handler")
    else errors.invalidEach("handler", handler, isDNS1123Label(handler))
    if (overhead?.podFixed !== undefined)
      validateResourceRequirements(errors, { limits: overhead.podFixed }, "overhead", "container")
    validateLabels(errors, scheduling?.nodeSelector, "scheduling.nodeSelector")
    validateTolerations(errors, scheduling?.tolerations as PodSpec["tolerations"], "scheduling.tolerations")
  },
  (errors, { handler }, old) => checkUnchanged(errors, handler, old.handler, "handler")
)

export const controllerRevisionRules = makeRules<ControllerRevision>(
  namespacedOptions,
  (errors, { data, revision }) => {
    errors.nonNegative("revision", revision)
    if (data === undefined || data === null) errors.required("data", "data is mandatory")
    else if (typeof data !== "object" || Array.isArray(data))
      errors.required("data", "data must be a valid JSON object")
  },
  (errors, { data }, old) => checkUnchanged(errors, data, old.data, "data")
)
