import type {
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceTaint,
  ResourceSlice,
  ResourceSliceSpec
} from "../../objects/ResourceSlice.ts"
import { isUnsetList } from "../../wire/decode/goTypes.ts"
import type { ErrorList } from "../ErrorList.ts"
import { typed } from "../FieldError.ts"
import { validateLabelName } from "../labels.ts"
import { byteLength, isValidLabelValue, nameIsDNSSubdomain } from "../names.ts"
import { shownTerm, validateNodeSelector } from "../nodeAffinity.ts"
import { semanticEqual } from "../semanticEqual.ts"
import { checkBindingConditions } from "./bindingConditions.ts"
import { checkCapacity } from "./capacity.ts"
import { braced, checkList, checkMap, checkSet } from "./lists.ts"
import { checkDriver, checkLabel, checkPool, checkQualifiedName, maxQualifiedName } from "./names.ts"
import { taintEffects } from "./requests.ts"

/** Upstream: staging/src/k8s.io/api/resource/v1/types.go. */
const maxDevices = 128
const maxDevicesWithFeatures = 64
const maxCounterSets = 8
const maxCounters = 32
const maxConsumptions = 2
const maxProperties = 32
const maxAttributeValues = 48
const maxValueBytes = 64
const maxTaints = 16
const maxLabelKey = 63

const number = "(0|[1-9]\\d*)"
const prerelease = "(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)"
const build = "[0-9a-zA-Z-]+"
const version = new RegExp(
  `^${number}\\.${number}\\.${number}(-${prerelease}(\\.${prerelease})*)?(\\+${build}(\\.${build})*)?$`
)

const checkAttribute = (errors: ErrorList, attribute: DeviceAttribute, at: string): void => {
  const { string: text, version: release } = attribute
  if (text !== undefined && byteLength(text) > maxValueBytes) errors.tooLong(`${at}.string`, maxValueBytes)
  if (release !== undefined) {
    if (!version.test(release)) {
      errors.invalid(`${at}.version`, release, "must be a string compatible with semver.org spec 2.0.0")
    }
    if (byteLength(release) > maxValueBytes) errors.tooLong(`${at}.version`, maxValueBytes)
  }
  const given = (["bool", "int", "string", "version"] as const).filter((field) => attribute[field] !== undefined)
  if (given.length === 1) return
  errors.invalid(at, given.length === 0 ? "" : shownAttribute(attribute), "exactly one value must be specified")
}

/** An attribute in the shape of the server's internal type. */
const shownAttribute = ({ bool, int, string, version: release }: DeviceAttribute) => ({
  IntValue: int ?? null,
  BoolValue: bool ?? null,
  StringValue: string ?? null,
  VersionValue: release ?? null,
  IntValues: null,
  BoolValues: null,
  StringValues: null,
  VersionValues: null
})

const checkTaint = (errors: ErrorList, { effect = "", key, value = "" }: DeviceTaint, at: string): void => {
  validateLabelName(errors, key, `${at}.key`)
  if (value !== "") errors.invalidEach(`${at}.value`, value, isValidLabelValue(value))
  if (effect === "") errors.required(`${at}.effect`)
  else if (!taintEffects.includes(effect)) errors.notSupported(`${at}.effect`, effect, taintEffects)
}

const checkNode = (errors: ErrorList, name: string, at: string): void =>
  errors.invalidEach(at, name, nameIsDNSSubdomain(name, false))

const checkCounters = (errors: ErrorList, { counters }: Pick<CounterSet, "counters">, at: string): void => {
  if (Object.keys(counters ?? {}).length === 0) {
    errors.required(`${at}.counters`)
    return
  }
  const options = { max: maxCounters, maxKey: maxLabelKey, checkKey: checkLabel }
  checkMap(errors, counters, `${at}.counters`, options, () => {})
}

const checkCounterName = (errors: ErrorList, name: string, at: string): void => {
  if (name === "") errors.required(at)
  else checkLabel(errors, name, at)
}

/** Checks on which nodes a device of a slice is whose devices have nodes of their own. */
const checkDeviceNodes = (errors: ErrorList, device: Device, at: string): void => {
  const { allNodes, nodeName, nodeSelector } = device
  const given: Array<string> = []
  if (nodeName === "") errors.invalid(`${at}.nodeName`, nodeName, "must not be empty")
  else if (nodeName !== undefined) {
    given.push("nodeName")
    checkNode(errors, nodeName, `${at}.nodeName`)
  }
  if (nodeSelector !== undefined) {
    given.push("nodeSelector")
    validateNodeSelector(errors, nodeSelector, `${at}.nodeSelector`)
  }
  if (allNodes === false) errors.invalid(`${at}.allNodes`, allNodes, "must be either unset or set to true")
  else if (allNodes) given.push("allNodes")
  const fault =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
  if (given.length === 0) errors.required(at, fault)
  else if (given.length > 1) errors.invalid(at, braced(given), fault)
}

const checkProperties = (errors: ErrorList, device: Device, at: string): void => {
  const attributes = Object.keys(device.attributes ?? {}).length
  const properties = attributes + Object.keys(device.capacity ?? {}).length
  const tooMany = (what: string, max: number) => `the total number of ${what} must not exceed ${max}`
  if (properties > maxProperties) errors.invalid(at, properties, tooMany("attributes and capacities", maxProperties))
  if (attributes > maxAttributeValues) {
    errors.invalid(at, attributes, tooMany("attribute values", maxAttributeValues))
  }
  const options = { maxKey: maxQualifiedName, checkKey: checkQualifiedName }
  checkMap(errors, device.attributes, `${at}.attributes`, options, checkAttribute)
  const isShared = device.allowMultipleAllocations === true
  checkMap(errors, device.capacity, `${at}.capacity`, options, (all, capacity, path) =>
    checkCapacity(all, capacity, path, isShared)
  )
}

const checkDevice = (
  errors: ErrorList,
  device: Device,
  at: string,
  old: Device | undefined,
  hasOwnNodes: boolean
): void => {
  checkLabel(errors, device.name, `${at}.name`)
  checkProperties(errors, device, at)
  if (old === undefined || !semanticEqual(old.taints, device.taints)) {
    checkList(errors, device.taints, `${at}.taints`, maxTaints, checkTaint)
  }
  const options = { max: maxConsumptions, keyOf: ({ counterSet }: { readonly counterSet: string }) => counterSet }
  checkSet(errors, device.consumesCounters, `${at}.consumesCounters`, options, (all, consumption, path) => {
    checkCounterName(all, consumption.counterSet, `${path}.counterSet`)
    checkCounters(all, consumption, path)
  })
  const { allNodes, nodeName, nodeSelector } = device
  if (hasOwnNodes) checkDeviceNodes(errors, device, at)
  else if (nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined) {
    errors.invalid(
      at,
      null,
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
    )
  }
  checkBindingConditions(errors, device, at)
}

const checkSliceNodes = (errors: ErrorList, spec: ResourceSliceSpec): void => {
  const { nodeName, nodeSelector } = spec
  const given: Array<string> = []
  if (nodeName === "") errors.invalid("spec.nodeName", nodeName, "must be either unset or set to a non-empty string")
  else if (nodeName !== undefined) {
    given.push("nodeName")
    checkNode(errors, nodeName, "spec.nodeName")
  }
  if (nodeSelector !== undefined) {
    given.push("nodeSelector")
    const at = "spec.nodeSelector"
    validateNodeSelector(errors, nodeSelector, at)
    const terms = nodeSelector.nodeSelectorTerms ?? []
    if (terms.length !== 1) {
      const isUnset = nodeSelector.nodeSelectorTerms === undefined || isUnsetList(terms)
      const shown = isUnset ? null : terms.map(shownTerm)
      errors.invalid(`${at}.nodeSelectorTerms`, shown, "must have exactly one node selector term")
    }
  }
  for (const field of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[field] === false) errors.invalid(`spec.${field}`, false, "must be either unset or set to true")
    else if (spec[field]) given.push(field)
  }
  const fault = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
  if (given.length === 0) errors.required("spec", fault)
  else if (given.length > 1) errors.invalid("spec", braced(given), `${fault}, but multiple fields are set`)
}

const checkUnchanged = (errors: ErrorList, spec: ResourceSliceSpec, old: ResourceSliceSpec): void => {
  const immutable = "field is immutable"
  if (spec.pool.name !== old.pool.name) errors.invalid("spec.pool.name", spec.pool.name, immutable)
  if (spec.driver !== old.driver) errors.invalid("spec.driver", spec.driver, immutable)
  if (spec.nodeName !== old.nodeName) errors.invalid("spec.nodeName", typed(spec.nodeName), immutable)
}

/** Upstream: validateResourceSliceSpec. */
export const checkSlice = (errors: ErrorList, { spec }: ResourceSlice, old: ResourceSlice | undefined): void => {
  const { devices, pool, sharedCounters } = spec
  checkDriver(errors, spec.driver, "spec.driver")
  checkPool(errors, pool.name, "spec.pool.name")
  const { generation = 0, resourceSliceCount = 0 } = pool
  if (resourceSliceCount <= 0) {
    errors.invalid("spec.pool.resourceSliceCount", resourceSliceCount, "must be greater than zero")
  }
  if (generation < 0) errors.invalid("spec.pool.generation", generation, "must be greater than or equal to zero")
  if (old !== undefined) checkUnchanged(errors, spec, old.spec)
  checkSliceNodes(errors, spec)
  if (sharedCounters !== undefined && devices !== undefined) {
    errors.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")
  }
  const hasFeatures = (devices ?? []).some(
    ({ consumesCounters = [], taints = [] }) => consumesCounters.length > 0 || taints.length > 0
  )
  const before = new Map((old?.spec.devices ?? []).map((device) => [device.name, device]))
  const byName = { max: hasFeatures ? maxDevicesWithFeatures : maxDevices, keyOf: ({ name }: Device) => name }
  checkSet(errors, devices, "spec.devices", byName, (all, device, at) =>
    checkDevice(all, device, at, before.get(device.name), spec.perDeviceNodeSelection === true)
  )
  const sets = { max: maxCounterSets, keyOf: ({ name }: CounterSet) => name }
  checkSet(errors, sharedCounters, "spec.sharedCounters", sets, (all, set, at) => {
    checkCounterName(all, set.name, `${at}.name`)
    checkCounters(all, set, at)
  })
}
