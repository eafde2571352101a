import type {
  DeviceClaim,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration
} from "../../objects/ResourceClaim.ts"
import type { ErrorList } from "../ErrorList.ts"
import type { FieldErrors } from "../FieldError.ts"
import { validateLabelName } from "../labels.ts"
import { byteLength, isDNS1123Subdomain, isValidLabelValue } from "../names.ts"
import { isExtendedResource } from "../resources.ts"
import { semanticEqual } from "../semanticEqual.ts"
import { checkList, checkSet } from "./lists.ts"
import { checkDriver, checkFullyQualifiedName, checkLabel } from "./names.ts"

/**
 * Checks the meaning of an expression over `device`, whose length is right; a part that loads no expression language
 * accepts each.
 */
export type CheckExpression = (expression: string, at: string) => FieldErrors

/** Upstream: staging/src/k8s.io/api/resource/v1/types.go. */
const maxRequests = 32
const maxConstraints = 32
export const maxConfigurations = 32
const maxSelectors = 32
const maxAlternatives = 8
const maxExpressionBytes = 10 * 1024
const maxParametersBytes = 10 * 1024

/** The names of a claim's requests, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>

export const requestNamesOf = ({ requests }: DeviceClaim): RequestNames =>
  new Map(
    (requests ?? []).map(({ firstAvailable = [], name }) => [name, new Set(firstAvailable.map((each) => each.name))])
  )

const isRequest = (names: RequestNames, reference: string): boolean => {
  const [name = "", inner] = reference.split("/")
  const inners = names.get(name)
  return inners !== undefined && (inner === undefined || inners.has(inner))
}

export const checkRequestReference = (errors: ErrorList, reference: string, at: string, names: RequestNames): void => {
  const segments = reference.split("/")
  const fault = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
  if (segments.length > 2) {
    errors.invalid(at, reference, fault)
    return
  }
  for (const segment of segments) checkLabel(errors, segment, at)
  if (!isRequest(names, reference)) errors.invalid(at, reference, fault)
}

export const checkRequestReferences = (
  errors: ErrorList,
  references: ReadonlyArray<string> | undefined,
  at: string,
  names: RequestNames
): void =>
  checkSet(errors, references, at, { max: maxRequests, keyOf: (name) => name }, (all, name, path) =>
    checkRequestReference(all, name, path, names)
  )

/** Checks that a value is a JSON object, not longer than `max` bytes. Upstream: validateRawExtension. */
export const checkRaw = (errors: ErrorList, value: unknown, at: string, max: number): void => {
  if (value === undefined) errors.required(at)
  else if (byteLength(JSON.stringify(value)) > max) errors.tooLong(at, max)
  else if (value === null) errors.required(at)
  else if (typeof value !== "object" || Array.isArray(value)) {
    errors.invalid(at, "<value omitted>", "must be a valid JSON object")
  }
}

interface Configuration {
  readonly opaque?: OpaqueDeviceConfiguration
}

/** `isStored` says that the configuration was accepted before: it may be longer than the limit of now. */
export const checkConfiguration = (
  errors: ErrorList,
  { opaque }: Configuration,
  at: string,
  isStored: boolean
): void => {
  if (opaque === undefined) {
    errors.required(`${at}.opaque`)
    return
  }
  checkDriver(errors, opaque.driver, `${at}.opaque.driver`)
  checkRaw(errors, opaque.parameters, `${at}.opaque.parameters`, isStored ? Infinity : maxParametersBytes)
}

const checkSelectors = (
  errors: ErrorList,
  selectors: ReadonlyArray<DeviceSelector> | undefined,
  at: string,
  checkExpression: CheckExpression
): void => {
  checkList(errors, selectors, at, maxSelectors, (all, { cel }, path) => {
    if (cel === undefined) {
      all.required(`${path}.cel`)
      return
    }
    const place = `${path}.cel.expression`
    if (byteLength(cel.expression) > maxExpressionBytes) all.tooLong(place, maxExpressionBytes)
    else all.append(checkExpression(cel.expression, place))
  })
}

const operators = ["Equal", "Exists"]
export const taintEffects = ["NoExecute", "NoSchedule", "None"]

const checkToleration = (errors: ErrorList, toleration: DeviceToleration, at: string): void => {
  const { effect = "", key = "", operator = "", value = "" } = toleration
  if (key !== "") validateLabelName(errors, key, `${at}.key`)
  if (operator === "Exists") {
    if (value !== "") errors.invalid(`${at}.value`, value, "must be empty for operator `Exists`")
  } else if (operator === "Equal") errors.invalidEach(`${at}.value`, value, isValidLabelValue(value))
  else if (operator === "") errors.required(`${at}.operator`)
  else errors.notSupported(`${at}.operator`, operator, operators)
  if (effect !== "" && !taintEffects.includes(effect)) errors.notSupported(`${at}.effect`, effect, taintEffects)
}

const modes = ["All", "ExactCount"]

const checkMode = (errors: ErrorList, { allocationMode = "", count = 0 }: ExactDeviceRequest, at: string): void => {
  if (allocationMode === "All") {
    if (count !== 0) errors.invalid(`${at}.count`, count, "must not be specified when allocationMode is 'All'")
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) errors.invalid(`${at}.count`, count, "must be greater than zero")
  } else errors.notSupported(`${at}.allocationMode`, allocationMode, modes)
}

const checkRequested = (
  errors: ErrorList,
  request: ExactDeviceRequest | DeviceSubRequest,
  at: string,
  checkExpression: CheckExpression
): void => {
  const { deviceClassName, selectors, tolerations = [] } = request
  if (deviceClassName === "") errors.required(`${at}.deviceClassName`)
  else errors.invalidEach(`${at}.deviceClassName`, deviceClassName, isDNS1123Subdomain(deviceClassName))
  checkSelectors(errors, selectors, `${at}.selectors`, checkExpression)
  checkMode(errors, request, at)
  tolerations.forEach((toleration, index) => {
    checkToleration(errors, toleration, `${at}.tolerations[${index}]`)
  })
}

const oneRequired = "exactly one of `exactly` or `firstAvailable` is required"

const checkRequest = (
  errors: ErrorList,
  request: DeviceRequest,
  at: string,
  checkExpression: CheckExpression
): void => {
  const { exactly, firstAvailable = [], name } = request
  checkLabel(errors, name, `${at}.name`)
  if (firstAvailable.length === 0) {
    if (exactly === undefined) errors.required(at, oneRequired)
    else checkRequested(errors, exactly, `${at}.exactly`, checkExpression)
    return
  }
  if (exactly !== undefined) {
    errors.invalid(at, null, `${oneRequired}, but multiple fields are set`)
    return
  }
  const options = { max: maxAlternatives, keyOf: ({ name: inner }: DeviceSubRequest) => inner }
  checkSet(errors, firstAvailable, `${at}.firstAvailable`, options, (all, alternative, path) => {
    checkLabel(all, alternative.name, `${path}.name`)
    checkRequested(all, alternative, path, checkExpression)
  })
}

const checkConstraint = (errors: ErrorList, constraint: DeviceConstraint, at: string, names: RequestNames): void => {
  const { distinctAttribute, matchAttribute, requests } = constraint
  checkRequestReferences(errors, requests, `${at}.requests`, names)
  if (matchAttribute !== undefined) checkFullyQualifiedName(errors, matchAttribute, `${at}.matchAttribute`)
  else if (distinctAttribute !== undefined)
    checkFullyQualifiedName(errors, distinctAttribute, `${at}.distinctAttribute`)
  else {
    errors.required(
      at,
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    )
  }
}

/** Checks what a claim or the template of claims asks for. Upstream: validateDeviceClaim. */
export const checkDeviceClaim = (
  errors: ErrorList,
  claim: DeviceClaim,
  at: string,
  checkExpression: CheckExpression
): void => {
  const names = requestNamesOf(claim)
  const options = { max: maxRequests, keyOf: ({ name }: DeviceRequest) => name }
  checkSet(errors, claim.requests, `${at}.requests`, options, (all, request, path) =>
    checkRequest(all, request, path, checkExpression)
  )
  checkList(errors, claim.constraints, `${at}.constraints`, maxConstraints, (all, constraint, path) =>
    checkConstraint(all, constraint, path, names)
  )
  checkList(errors, claim.config, `${at}.config`, maxConfigurations, (all, configuration, path) => {
    checkRequestReferences(all, configuration.requests, `${path}.requests`, names)
    checkConfiguration(all, configuration, path, false)
  })
}

/** Upstream: validateDeviceClassSpec. */
export const checkDeviceClass = (
  errors: ErrorList,
  { spec }: DeviceClass,
  old: DeviceClass | undefined,
  checkExpression: CheckExpression
): void => {
  checkSelectors(errors, spec.selectors, "spec.selectors", checkExpression)
  const isStored = old !== undefined && semanticEqual(spec.config, old.spec.config)
  checkList(errors, spec.config, "spec.config", maxConfigurations, (all, configuration, path) =>
    checkConfiguration(all, configuration, path, isStored)
  )
  const { extendedResourceName } = spec
  if (extendedResourceName !== undefined && !isExtendedResource(extendedResourceName)) {
    errors.invalid("spec.extendedResourceName", extendedResourceName, "must be a valid extended resource name")
  }
}
