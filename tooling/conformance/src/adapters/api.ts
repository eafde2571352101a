import {
  type Amounts,
  addQuantity,
  type amountOf,
  canonicalQuantity,
  compareQuantity,
  computeQosClass,
  decimalText,
  formatFieldSelector,
  formatLabelSelector,
  formatQuantity,
  matchesFieldSelector,
  matchesLabelSelector,
  matchingTolerations,
  milliValue,
  minTolerationSeconds,
  negateQuantity,
  parseFieldSelector,
  parseLabelSelector,
  parseQuantity,
  podLimits,
  podRequests,
  roundUpQuantity,
  scaledValue,
  signOf,
  subtractQuantity,
  toleratesTaint,
  value
} from "@rollcall/api"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

const parsedQuantity = (text: string): Json => {
  const parsed = parseQuantity(text)
  if (Result.isFailure(parsed)) return { error: parsed.failure.reason }
  const amount = parsed.success
  const decimal = decimalText(amount)
  const wholeDigits = decimal.replace("-", "").split(".")[0]?.length ?? 0
  return {
    format: amount.format,
    canonical: canonicalQuantity(amount),
    string: formatQuantity(amount),
    sign: signOf(amount),
    isZero: signOf(amount) === 0,
    decimal,
    ...(wholeDigits <= 15 ? { value: value(amount) } : {}),
    ...(wholeDigits <= 12 ? { milliValue: milliValue(amount) } : {})
  }
}

const quantityOperation = ({ op, a, b, scale }: Json): Json => {
  const shown = (amount: ReturnType<typeof amountOf>) => ({ format: amount.format, string: formatQuantity(amount) })
  switch (op) {
    case "add":
      return shown(addQuantity(a, b))
    case "sub":
      return shown(subtractQuantity(a, b))
    case "neg":
      return shown(negateQuantity(a))
    case "cmp":
      return { result: compareQuantity(a, b) }
    case "roundUp": {
      const { amount, exact } = roundUpQuantity(a, scale)
      return { exact, string: formatQuantity(amount) }
    }
    default:
      return { value: scaledValue(a, scale) }
  }
}

const canonicalAmounts = (amounts: Amounts): Json =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, canonicalQuantity(amount)]))

export const apiAdapters: Adapters = {
  "kubelet/quantity-parse": ({ given }) => parsedQuantity(given.string),

  "kubelet/quantity-ops": ({ given }) => quantityOperation(given),

  "api/labelselector": ({ given }) => {
    const parsed = parseLabelSelector(given.selector)
    if (Result.isFailure(parsed)) return { error: parsed.failure.message }
    return {
      canonical: formatLabelSelector(parsed.success),
      ...(given.labels === undefined ? {} : { matches: matchesLabelSelector(parsed.success, given.labels) })
    }
  },

  "api/fieldselector": ({ given }) => {
    const parsed = parseFieldSelector(given.selector, given.kind)
    if (Result.isFailure(parsed)) return { error: parsed.failure.message }
    return {
      canonical: formatFieldSelector(parsed.success),
      ...(given.fields === undefined
        ? {}
        : { matches: matchesFieldSelector(parsed.success, (field) => given.fields[field]) })
    }
  },

  "tainteviction/toleration-match": ({ given }) => ({
    tolerated: toleratesTaint(given.toleration, given.taint, given.comparisonOperators)
  }),

  "tainteviction/min-toleration": ({ given }) => {
    const used = matchingTolerations(given.taints, given.tolerations)
    return {
      allTolerated: used !== undefined,
      used: (used ?? []).map((toleration) => given.tolerations.indexOf(toleration)),
      minSeconds: used === undefined ? null : minTolerationSeconds(used)
    }
  },

  "kubelet/qos": ({ given }) => ({
    qosClass: computeQosClass(given.pod, { podLevelResources: given.gates?.PodLevelResources ?? true })
  }),

  "kubelet/pod-requests": ({ given }) => ({
    requests: canonicalAmounts(podRequests(given.pod, given.options)),
    limits: canonicalAmounts(podLimits(given.pod, given.options))
  })
}
