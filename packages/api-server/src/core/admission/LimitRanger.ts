import type { LimitRange, PersistentVolumeClaim, Pod, Status } from "@rollcall/api"
import { claimLimitFaults, podLimitFaults, withLimitDefaults } from "@rollcall/api/quota"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionPlugin, AdmissionReader } from "./Admission.ts"
import { forbiddenBy } from "./forbiddenBy.ts"

/** Returns the ranges that apply; none to an object that is being deleted. */
const rangesFor = (
  { namespace, oldObject }: AdmissionAttributes,
  reader: AdmissionReader
): ReadonlyArray<LimitRange> =>
  oldObject?.metadata.deletionTimestamp === undefined ? reader.list("LimitRange", namespace) : []

const textOf = (faults: ReadonlyArray<string>): string => {
  const [first = "", ...others] = new Set(faults)
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`
}

/**
 * Sets default requests and limits in containers, and refuses pods and claims that break the LimitRanges of their
 * namespace. Upstream: plugin/pkg/admission/limitranger/admission.go.
 */
export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  admits: (kind, verb, subresource) => {
    if (kind === "Pod")
      return subresource === undefined ? verb === "create" : subresource === "resize" && verb === "update"
    return kind === "PersistentVolumeClaim" && subresource === undefined && verb !== "delete"
  },
  mutate: (attributes, { reader }) => {
    if (attributes.kind !== "Pod") return Result.succeed(attributes.object)
    return Result.succeed(rangesFor(attributes, reader).reduce(withLimitDefaults, attributes.object as Pod))
  },
  validate: (attributes, { reader }): Status | undefined => {
    const { kind, object } = attributes
    for (const range of rangesFor(attributes, reader)) {
      const faults =
        kind === "Pod" ? podLimitFaults(object as Pod, range) : claimLimitFaults(object as PersistentVolumeClaim, range)
      if (faults.length > 0) return forbiddenBy(attributes, textOf(faults))
    }
    return undefined
  }
}
