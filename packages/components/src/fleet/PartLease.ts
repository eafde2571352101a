import { formatMicroTime, type Lease } from "@rollcall/api"
import type { FleetPart } from "./FleetPart.ts"

/*
 * A process that runs a part of a fleet keeps a Lease in kube-system, by which processes with overlapping parts find each
 * other.
 */

export const leaseNamespace = "kube-system"
const FLEET_LABEL = "rollcall.dev/fleet"
const MEMBERS_ANNOTATION = "rollcall.dev/members"

/** How long a Lease that is not renewed counts. */
export const LEASE_SECONDS = 15
export const RENEW_MS = 5_000

export const selectorOf = (fleet: string) => `${FLEET_LABEL}=${fleet}`

/** Returns the members of a part for people: `a-5000 to a-9999`. */
export const membersText = ({ count, fleet, offset }: FleetPart): string =>
  count === undefined ? `${fleet}-${offset} and above` : `${fleet}-${offset} to ${fleet}-${offset + count - 1}`

const rangeText = ({ count, offset }: FleetPart): string => `${offset}-${count === undefined ? "" : offset + count - 1}`

export const leaseName = (part: FleetPart): string =>
  `rollcall-fleet-${part.fleet}-${rangeText(part)}`.replace(/-$/, "")

export const leaseOf = (part: FleetPart, holderIdentity: string, now: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: {
    name: leaseName(part),
    namespace: leaseNamespace,
    labels: { [FLEET_LABEL]: part.fleet },
    annotations: { [MEMBERS_ANNOTATION]: rangeText(part) }
  },
  spec: { holderIdentity, leaseDurationSeconds: LEASE_SECONDS, renewTime: formatMicroTime(now) }
})

/** Returns the part whose process keeps a Lease; undefined if it is none of a part. */
export const partOf = ({ metadata }: Lease, fleet: string): FleetPart | undefined => {
  if (metadata.labels?.[FLEET_LABEL] !== fleet) return undefined
  const [, first, last] = /^(\d+)-(\d*)$/.exec(metadata.annotations?.[MEMBERS_ANNOTATION] ?? "") ?? []
  if (first === undefined || last === undefined) return undefined
  const offset = Number(first)
  return { fleet, zone: "", offset, count: last === "" ? undefined : Number(last) - offset + 1 }
}

const endOf = ({ count, offset }: FleetPart): number =>
  count === undefined ? Number.POSITIVE_INFINITY : offset + count

/** Whether two parts of a fleet have a member in common. */
export const overlaps = (one: FleetPart, other: FleetPart): boolean =>
  one.offset < endOf(other) && other.offset < endOf(one)

/** Whether the Lease was made before the other one: of two processes that start at one time it wins. */
export const isEarlier = (one: Lease, other: Lease): boolean => {
  const [mine = "", theirs = ""] = [one.metadata.creationTimestamp, other.metadata.creationTimestamp]
  return mine === theirs ? (one.metadata.name ?? "") < (other.metadata.name ?? "") : mine < theirs
}
