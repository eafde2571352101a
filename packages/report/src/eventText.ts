import type { EventDetails } from "@rollcall/simulator/result"
import { span } from "@rollcall/text"

/** A short explanation of each fault. */
const explanations: Readonly<Record<string, string>> = {
  partition: "cut off from the API; containers keep running",
  crash: "machine off, containers stopped",
  "kubelet-stop": "kubelet stopped; containers keep running",
  "runtime-down": "the container runtime does not answer",
  "api-server-down": "the API server does not answer",
  "controller-restart": "the leading process is killed",
  "cloud-delete": "the cloud has deleted the machine",
  "cloud-deny": "the cloud says that the machine does not exist, though it runs"
}

const signedSpan = (seconds: number): string =>
  seconds < 0 ? `back by ${span(-seconds)}` : `forward by ${span(seconds)}`

/** Returns the parameters of a fault, after its explanation if `explain` is true: ` (clock set back by 8m)`. */
export const faultText = (fault: string, event: EventDetails | undefined, explain: boolean): string => {
  const { available, bySeconds, rate } = event ?? {}
  const parts = [
    explain ? explanations[fault] : undefined,
    bySeconds === undefined
      ? undefined
      : fault === "clock-skew"
        ? `clock set ${signedSpan(bySeconds)}`
        : `by ${span(bySeconds)}`,
    rate === undefined ? undefined : `rate ${rate}`,
    available === undefined ? undefined : `${available} left`
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`
}

/** The most objects that the text of an action names. */
const MAX_NAMES = 3

/** Returns the objects and parameters of an action: ` Pod too-late: spec.tolerations`. */
export const actionText = (event: EventDetails | undefined): string => {
  const { fields = [], force, manifests = [], object, objects = [], replicas, taint } = event ?? {}
  const objectNames = [
    ...[...(object === undefined ? [] : [object]), ...objects].map(({ kind, name }) => `${kind} ${name}`),
    ...manifests
  ]
  const details = [
    ...fields,
    ...(replicas === undefined ? [] : [`${replicas} replicas`]),
    ...(taint === undefined ? [] : [[taint.key, taint.effect].filter((part) => part !== undefined).join(":")]),
    ...(force === true ? ["by force"] : [])
  ]
  const names =
    objectNames.length === 0
      ? ""
      : ` ${objectNames.slice(0, MAX_NAMES).join(", ")}${objectNames.length > MAX_NAMES ? " and more" : ""}`
  return `${names}${details.length === 0 ? "" : `: ${details.join(", ")}`}`
}
