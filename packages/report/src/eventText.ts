import type { EventDetails } from "@rollcall/simulator/result"
import { span } from "@rollcall/text"

/** A short explanation of each fault. */
const meanings: Readonly<Record<string, string>> = {
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

/** Returns the explanation and the parameters of a fault: ` (clock set back by 8m)`. */
export const faultText = (fault: string, event: EventDetails | undefined, explain: boolean): string => {
  const { available, bySeconds, rate } = event ?? {}
  const parts = [
    explain ? meanings[fault] : undefined,
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

/** Returns the objects and parameters of an action: ` Pod too-late: spec.tolerations`. */
export const actionText = (event: EventDetails | undefined): string => {
  const { fields = [], force, manifests = [], object, objects = [], replicas, taint } = event ?? {}
  const named = [
    ...[...(object === undefined ? [] : [object]), ...objects].map(({ kind, name }) => `${kind} ${name}`),
    ...manifests
  ]
  const details = [
    ...fields,
    ...(replicas === undefined ? [] : [`${replicas} replicas`]),
    ...(taint === undefined ? [] : [[taint.key, taint.effect].filter((part) => part !== undefined).join(":")]),
    ...(force === true ? ["by force"] : [])
  ]
  const about = named.length === 0 ? "" : ` ${named.slice(0, 3).join(", ")}${named.length > 3 ? " and more" : ""}`
  return `${about}${details.length === 0 ? "" : `: ${details.join(", ")}`}`
}
