import type { EventDetails } from "@rollcall/simulator/result"
import { span } from "@rollcall/text"

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

const signedSpan = (seconds: number): string =>
  seconds < 0 ? `back by ${span(-seconds)}` : `forward by ${span(seconds)}`

/** How much of a fault: ` (clock set back by 8m)`. */
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

/** What an action is about: ` Pod too-late: spec.tolerations`. */
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
