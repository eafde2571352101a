import { parseQuantity, signOf } from "@rollcall/api"
import { isQualifiedName, isValidLabelValue } from "@rollcall/api/validation"
import { show, unknownName, type Wrong, wrongValue } from "@rollcall/input"
import * as Result from "effect/Result"
import type { NodeGroup } from "./NodeGroup.ts"

const RESOURCES = ["cpu", "memory", "pods", "ephemeral-storage"]

const isNative = (name: string): boolean => !name.includes("/") && !name.startsWith("hugepages-")

const quantityProblem = (value: string | number): Wrong | undefined => {
  const parsed = parseQuantity(String(value))
  return Result.isSuccess(parsed) && signOf(parsed.success) < 0
    ? wrongValue(value, "a quantity that is not negative")
    : undefined
}

const NODE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** The first invalid field of a group of nodes, as a path within the group. */
export const groupProblem = ({
  capacity = {},
  labels = {},
  name: groupName,
  region = "",
  swap = 0,
  taints = [],
  zone = ""
}: NodeGroup): readonly [path: string, wrong: string | Wrong] | undefined => {
  if (!NODE_NAME.test(groupName)) {
    return ["name", wrongValue(groupName, "a name of lower case letters, digits, '-' and '.'")]
  }
  for (const [path, value] of Object.entries({ zone, region })) {
    const [ofPlace] = isValidLabelValue(value)
    if (ofPlace !== undefined) return [path, `found ${show(value)}, not a label's value: ${ofPlace}`]
  }
  for (const [key, value] of Object.entries(labels)) {
    const [ofKey] = isQualifiedName(key)
    if (ofKey !== undefined) return [`labels.${key}`, `not a label's key: ${ofKey}`]
    const [ofValue] = isValidLabelValue(value)
    if (ofValue !== undefined) return [`labels.${key}`, `found ${show(value)}, not a label's value: ${ofValue}`]
  }
  for (const [index, { key }] of taints.entries()) {
    const [ofKey] = isQualifiedName(key)
    if (ofKey !== undefined) return [`taints[${index}].key`, `found ${show(key)}, not a taint's key: ${ofKey}`]
  }
  for (const [name, value] of Object.entries(capacity)) {
    if (isNative(name) && !RESOURCES.includes(name)) {
      const wrong = unknownName("unknown resource", name, RESOURCES)
      if (wrong.nearest !== undefined) return [`capacity.${name}`, wrong]
    }
    const problem = quantityProblem(value)
    if (problem !== undefined) return [`capacity.${name}`, problem]
  }
  const ofSwap = quantityProblem(swap)
  if (ofSwap !== undefined) return ["swap", ofSwap]
  return undefined
}
