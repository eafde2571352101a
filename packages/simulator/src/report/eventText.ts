import { parseDuration } from "@rollcall/api"
import { isRecord } from "@rollcall/input"
import type { PlannedEvent } from "../input/events.ts"
import { span } from "./format.ts"

/** What a fault means for those whom it befalls, in a few words. */
const meanings: Readonly<Record<string, string>> = {
  partition: "cut off from the API; containers run on",
  crash: "machine off, containers gone",
  "kubelet-stop": "kubelet gone; containers run on",
  "runtime-down": "the container runtime does not answer",
  "api-server-down": "the API answers nobody",
  "controller-restart": "the process that leads is killed",
  "cloud-delete": "the cloud has deleted the machine",
  "cloud-deny": "the cloud says that the machine does not exist, though it runs"
}

const signedSpan = (by: string | number): string => {
  const seconds = parseDuration(by) / 1000
  return seconds < 0 ? `back by ${span(-seconds)}` : `forward by ${span(seconds)}`
}

/** How much of a fault: ` (clock set back by 8m)`. */
export const faultText = (fault: string, event: PlannedEvent | undefined, explain: boolean): string => {
  const { available, by, rate } = event?.spec ?? {}
  const parts = [
    explain ? meanings[fault] : undefined,
    by === undefined
      ? undefined
      : fault === "clock-skew"
        ? `clock set ${signedSpan(by)}`
        : `by ${span(parseDuration(by) / 1000)}`,
    rate === undefined ? undefined : `rate ${rate}`,
    available === undefined ? undefined : `${available} left`
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`
}

/** The fields that a patch writes: `spec.tolerations`. */
export const patchedFields = (patch: unknown, path = ""): ReadonlyArray<string> =>
  isRecord(patch) && Object.keys(patch).length > 0
    ? Object.entries(patch).flatMap(([key, value]) => patchedFields(value, path === "" ? key : `${path}.${key}`))
    : path === ""
      ? []
      : [path]

/** What an action is about: ` Pod too-late: spec.tolerations`. */
export const actionText = (event: PlannedEvent | undefined): string => {
  const { force, manifests, object, objects, patch, replicas, taint } = event?.spec ?? {}
  const named = [
    ...(object === undefined ? [] : [`${object.kind} ${object.name}`]),
    ...(objects ?? []).map((one) => {
      const { kind, metadata } = one as { readonly kind?: unknown; readonly metadata?: unknown }
      return `${kind} ${isRecord(metadata) ? metadata.name : ""}`
    }),
    ...(manifests ?? [])
  ]
  const details = [
    ...(patch === undefined ? [] : patchedFields(patch)),
    ...(replicas === undefined ? [] : [`${replicas} replicas`]),
    ...(taint === undefined ? [] : [[taint.key, taint.effect].filter((part) => part !== undefined).join(":")]),
    ...(force === true ? ["by force"] : [])
  ]
  const about = named.length === 0 ? "" : ` ${named.slice(0, 3).join(", ")}${named.length > 3 ? " and more" : ""}`
  return `${about}${details.length === 0 ? "" : `: ${details.join(", ")}`}`
}
