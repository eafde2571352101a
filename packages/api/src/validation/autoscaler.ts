import type {
  AutoscalerBehavior,
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ScalingRules
} from "../objects/HorizontalPodAutoscaler.ts"
import { signOf } from "../quantity/Quantity.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { makeRules } from "./makeRules.ts"
import { isDNS1123Label, nameIsPathSegment } from "./names.ts"
import { checkContainerResource } from "./resources.ts"

/** Upstream: pkg/apis/autoscaling/validation/validation.go. */

const MAX_SECONDS = { stabilizationWindow: 3600, period: 1800 }

/** Returns why the apiVersion of a reference is none, or names no group. */
const versionFault = (apiVersion: string, allowsCore: boolean): string | undefined => {
  const parts = apiVersion.split("/")
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`
  return !allowsCore && (parts.length < 2 || parts[0] === "") ? "apiVersion must specify API group" : undefined
}

interface Lenience {
  readonly allowsCore: boolean
  /** Whether the version may be any, since the stored object has it. */
  readonly allowsInvalid: boolean
}

const checkReference = (
  errors: ErrorList,
  reference: Partial<CrossVersionObjectReference>,
  at: string,
  { allowsCore, allowsInvalid }: Lenience
): void => {
  for (const field of ["kind", "name"] as const) {
    const value = reference[field] ?? ""
    if (value === "") errors.required(`${at}.${field}`)
    else errors.invalidEach(`${at}.${field}`, value, nameIsPathSegment(value, false))
  }
  const { apiVersion = "" } = reference
  const fault = allowsInvalid ? undefined : versionFault(apiVersion, allowsCore)
  if (fault !== undefined) errors.invalid(`${at}.apiVersion`, apiVersion, fault)
}

const checkTarget = (errors: ErrorList, target: Partial<MetricTarget>, at: string): void => {
  const { averageUtilization, averageValue, type = "", value } = target
  if (type === "") errors.required(`${at}.type`, "must specify a metric target type")
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    errors.invalid(`${at}.type`, typed(type), "must be either Utilization, Value, or AverageValue")
  }
  for (const [field, amount] of Object.entries({ value, averageValue })) {
    if (amount !== undefined && signOf(amount) !== 1) errors.invalid(`${at}.${field}`, amount, "must be positive")
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.invalid(`${at}.averageUtilization`, averageUtilization, "must be greater than 0")
  }
}

const checkIdentifier = (errors: ErrorList, { name = "" }: Partial<MetricIdentifier>, at: string): void => {
  if (name === "") errors.required(`${at}.name`, "must specify a metric name")
  else errors.invalidEach(`${at}.name`, name, nameIsPathSegment(name, false))
}

const checkResourceTarget = (errors: ErrorList, target: Partial<MetricTarget>, at: string): void => {
  checkTarget(errors, target, at)
  const { averageUtilization, averageValue } = target
  if (averageUtilization === undefined && averageValue === undefined) {
    errors.required(`${at}.averageUtilization`, "must set either a target raw value or a target utilization")
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    errors.forbidden(`${at}.averageValue`, "may not set both a target raw value and a target utilization")
  }
}

type Check<K extends keyof MetricSpec> = (
  errors: ErrorList,
  source: NonNullable<MetricSpec[K]>,
  at: string,
  lenience: Lenience
) => void

const checkObject: Check<"object"> = (errors, { describedObject, metric, target }, at, lenience) => {
  checkReference(errors, describedObject ?? {}, `${at}.describedObject`, lenience)
  checkIdentifier(errors, metric ?? {}, `${at}.metric`)
  checkTarget(errors, target ?? {}, `${at}.target`)
  if (target?.value === undefined && target?.averageValue === undefined) {
    errors.required(`${at}.target.averageValue`, "must set either a target value or averageValue")
  }
}

const checkExternal: Check<"external"> = (errors, { metric, target }, at) => {
  checkIdentifier(errors, metric ?? {}, `${at}.metric`)
  checkTarget(errors, target ?? {}, `${at}.target`)
  const [value, average] = [target?.value, target?.averageValue]
  if (value === undefined && average === undefined) {
    errors.required(`${at}.target.averageValue`, "must set either a target value for metric or a per-pod target")
  }
  if (value !== undefined && average !== undefined) {
    errors.forbidden(`${at}.target.value`, "may not set both a target value for metric and a per-pod target")
  }
}

const checkPods: Check<"pods"> = (errors, { metric, target }, at) => {
  checkIdentifier(errors, metric ?? {}, `${at}.metric`)
  checkTarget(errors, target ?? {}, `${at}.target`)
  if (target?.averageValue === undefined) {
    errors.required(`${at}.target.averageValue`, "must specify a positive target averageValue")
  }
}

const checkResource: Check<"resource"> = (errors, { name, target }, at) => {
  if (!name) errors.required(`${at}.name`, "must specify a resource name")
  checkResourceTarget(errors, target ?? {}, `${at}.target`)
}

const checkContainer: Check<"containerResource"> = (errors, { container, name, target }, at) => {
  if (!name) errors.required(`${at}.name`, "must specify a resource name")
  else checkContainerResource(errors, name, `${at}.name`)
  if (!container) errors.required(`${at}.container`, "must specify a container")
  else errors.invalidEach(`${at}.container`, container, isDNS1123Label(container))
  checkResourceTarget(errors, target ?? {}, `${at}.target`)
}

/** The sources in the order of upstream's checks. Of several only the first is checked. */
const sources = {
  object: { type: "Object", check: checkObject },
  external: { type: "External", check: checkExternal },
  pods: { type: "Pods", check: checkPods },
  resource: { type: "Resource", check: checkResource },
  containerResource: { type: "ContainerResource", check: checkContainer }
} as const

type Source = keyof typeof sources
const sourceNames = Object.keys(sources) as ReadonlyArray<Source>
const types = sourceNames.map((name) => sources[name].type as string).sort()

const checkMetric = (errors: ErrorList, spec: MetricSpec, at: string, lenience: Lenience): void => {
  const { type = "" } = spec
  if (type === "") errors.required(`${at}.type`, "must specify a metric source type")
  if (!types.includes(type)) errors.notSupported(`${at}.type`, type, types)
  const present = sourceNames.filter((name) => spec[name] !== undefined)
  const [first] = present
  if (first !== undefined) {
    const check = sources[first].check as Check<Source>
    check(errors, spec[first] as NonNullable<MetricSpec[Source]>, `${at}.${first}`, lenience)
  }
  const expected = sourceNames.find((name) => sources[name].type === type)
  if (expected === undefined) errors.notSupported(`${at}.type`, type, types)
  else if (spec[expected] === undefined) {
    errors.required(`${at}.${expected}`, "must populate information for the given metric source")
  }
  if (present.length === 1) return
  for (const name of present) {
    if (name !== expected) errors.forbidden(`${at}.${name}`, "must populate the given metric source only")
  }
}

const checkRules = (errors: ErrorList, rules: ScalingRules, at: string): void => {
  const { policies = [], selectPolicy, stabilizationWindowSeconds: window, tolerance } = rules
  const windowAt = `${at}.stabilizationWindowSeconds`
  if (window !== undefined && window < 0) errors.invalid(windowAt, window, "must be greater than or equal to zero")
  if (window !== undefined && window > MAX_SECONDS.stabilizationWindow) {
    errors.invalid(windowAt, window, `must be less than or equal to ${MAX_SECONDS.stabilizationWindow}`)
  }
  const known = ["Disabled", "Max", "Min"]
  if (selectPolicy !== undefined && !known.includes(selectPolicy)) {
    errors.notSupported(`${at}.selectPolicy`, selectPolicy, known)
  }
  if (policies.length === 0) errors.required(`${at}.policies`, "must specify at least one Policy")
  for (const [index, { periodSeconds = 0, type, value = 0 }] of policies.entries()) {
    const path = `${at}.policies[${index}]`
    if (type !== "Pods" && type !== "Percent") errors.notSupported(`${path}.type`, type ?? "", ["Percent", "Pods"])
    if (value <= 0) errors.invalid(`${path}.value`, value, "must be greater than zero")
    if (periodSeconds <= 0) errors.invalid(`${path}.periodSeconds`, periodSeconds, "must be greater than zero")
    if (periodSeconds > MAX_SECONDS.period) {
      errors.invalid(`${path}.periodSeconds`, periodSeconds, `must be less than or equal to ${MAX_SECONDS.period}`)
    }
  }
  if (tolerance !== undefined && signOf(tolerance) < 0) {
    errors.invalid(`${at}.tolerance`, tolerance, "must be greater than or equal to 0")
  }
}

const checkBehavior = (errors: ErrorList, { scaleDown, scaleUp }: AutoscalerBehavior): void => {
  if (scaleUp !== undefined) checkRules(errors, scaleUp, "spec.behavior.scaleUp")
  if (scaleDown !== undefined) checkRules(errors, scaleDown, "spec.behavior.scaleDown")
}

type Spec = HorizontalPodAutoscaler["spec"]

const checkBounds = (errors: ErrorList, { maxReplicas = 0, minReplicas }: Partial<Spec>, lowest: number): void => {
  if (minReplicas !== undefined && minReplicas < lowest) {
    errors.invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${lowest}`)
  }
  if (maxReplicas === 0) errors.required("spec.maxReplicas", "must be set and greater than 0")
  else if (maxReplicas < 1) errors.invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1")
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`")
  }
}

const isInvalid = (reference: CrossVersionObjectReference | undefined, allowsCore: boolean): boolean =>
  reference !== undefined && versionFault(reference.apiVersion ?? "", allowsCore) !== undefined

/** Whether two references name objects of the same type. Then the version is not checked again. */
const hasSameType = (
  before: Partial<CrossVersionObjectReference> = {},
  reference: Partial<CrossVersionObjectReference> = {}
): boolean =>
  (before.apiVersion ?? "") === (reference.apiVersion ?? "") && (before.kind ?? "") === (reference.kind ?? "")

const autoscalerRulesFrom = (lowest: 0 | 1) =>
  makeRules<HorizontalPodAutoscaler>("Namespaced", {
    onUpdate: "change",
    check: (errors, { spec }, old) => {
      const { behavior, metrics = [], minReplicas, scaleTargetRef }: Partial<Spec> = spec ?? {}
      checkBounds(errors, spec ?? {}, old?.spec.minReplicas === 0 ? 0 : lowest)
      const target = {
        allowsCore: scaleTargetRef?.kind === "ReplicationController",
        allowsInvalid: old !== undefined && hasSameType(old.spec.scaleTargetRef, scaleTargetRef)
      }
      checkReference(errors, scaleTargetRef ?? {}, "spec.scaleTargetRef", target)
      const objects = (old?.spec.metrics ?? []).map(({ object, type }) =>
        type === "Object" ? object?.describedObject : undefined
      )
      const lenience = { allowsCore: true, allowsInvalid: objects.some((object) => isInvalid(object, true)) }
      for (const [index, metric] of metrics.entries()) checkMetric(errors, metric, `spec.metrics[${index}]`, lenience)
      if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
        const why = "must specify at least one Object or External metric to support scaling to zero replicas"
        errors.forbidden("spec.metrics", why)
      }
      if (behavior !== undefined) checkBehavior(errors, behavior)
    },
    status: (errors, { status }) => {
      errors.nonNegative("status.currentReplicas", status?.currentReplicas)
      errors.nonNegative("status.desiredReplicas", status?.desiredReplicas)
    }
  })

export const autoscalerRules = autoscalerRulesFrom(1)

/** As `autoscalerRules`, with workloads that are scaled to zero: the feature gate HPAScaleToZero. */
export const scaleToZeroRules = autoscalerRulesFrom(0)
