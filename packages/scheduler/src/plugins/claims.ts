import type { PersistentVolumeClaim } from "@rollcall/api"
import type { PodInfo } from "../cache/CacheRecords.ts"
import type { Rejection } from "../Plugin.ts"

/** A rejection that preemption cannot resolve. */
export const unresolvable = (plugin: string, reason: string): Rejection => ({
  code: "UnschedulableAndUnresolvable",
  plugin,
  reasons: [reason]
})

/** The rejection for a claim that does not exist. */
export const claimNotFound = (plugin: string, claim: string): Rejection =>
  unresolvable(plugin, `persistentvolumeclaim ${JSON.stringify(claim)} not found`)

/** Whether a volume of the pod is this claim: one that it references, or one that was created for it. */
export const mountsClaim = ({ namespace, volumes }: PodInfo, { metadata }: PersistentVolumeClaim): boolean => {
  const name = metadata.name ?? ""
  return (
    metadata.namespace === namespace &&
    volumes !== undefined &&
    (volumes.claims.includes(name) || volumes.ephemeralClaims.includes(name))
  )
}
