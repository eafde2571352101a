import { isQualifiedName, isValidLabelValue } from "@rollcall/api/validation"
import { show, unknownName, type Wrong, wrongValue } from "@rollcall/input"
import { imagesProblem } from "./images.ts"
import type { NodeGroup } from "./NodeGroup.ts"
import { quantityProblem } from "./quantityProblem.ts"

const RESOURCES = ["cpu", "memory", "pods", "ephemeral-storage"]

const isNative = (name: string): boolean => !name.includes("/") && !name.startsWith("hugepages-")

const NODE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/**
 * Returns the first invalid field of a group of nodes and its problem, or undefined if all are valid. The path is
 * relative to the group.
 */
export const groupProblem = ({
  capacity = {},
  images = {},
  labels = {},
  name: groupName,
  region = "",
  swap = 0,
  taints = [],
  zone = ""
}: NodeGroup): readonly [path: string, problem: string | Wrong] | undefined => {
  if (!NODE_NAME.test(groupName)) {
    return ["name", wrongValue(groupName, "a name of lower case letters, digits, '-' and '.'")]
  }
  for (const [path, value] of Object.entries({ zone, region })) {
    const [placeProblem] = isValidLabelValue(value)
    if (placeProblem !== undefined) return [path, `found ${show(value)}, not a label's value: ${placeProblem}`]
  }
  for (const [key, value] of Object.entries(labels)) {
    const [keyProblem] = isQualifiedName(key)
    if (keyProblem !== undefined) return [`labels.${key}`, `not a label's key: ${keyProblem}`]
    const [valueProblem] = isValidLabelValue(value)
    if (valueProblem !== undefined)
      return [`labels.${key}`, `found ${show(value)}, not a label's value: ${valueProblem}`]
  }
  for (const [index, { key }] of taints.entries()) {
    const [keyProblem] = isQualifiedName(key)
    if (keyProblem !== undefined)
      return [`taints[${index}].key`, `found ${show(key)}, not a taint's key: ${keyProblem}`]
  }
  for (const [name, value] of Object.entries(capacity)) {
    if (isNative(name) && !RESOURCES.includes(name)) {
      const mistake = unknownName("unknown resource", name, RESOURCES)
      if (mistake.nearest !== undefined) return [`capacity.${name}`, mistake]
    }
    const problem = quantityProblem(value)
    if (problem !== undefined) return [`capacity.${name}`, problem]
  }
  const swapProblem = quantityProblem(swap)
  if (swapProblem !== undefined) return ["swap", swapProblem]
  return imagesProblem(images)
}
