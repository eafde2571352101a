import type { PersistentVolumeClaim } from "@rollcall/api"
import type { PodInfo } from "../cache/CacheRecords.ts"
import type { Rejection } from "../Plugin.ts"

/** No node will do, and no pod that goes would help. */
export const unresolvable = (plugin: string, reason: string): Rejection => ({
  code: "UnschedulableAndUnresolvable",
  plugin,
  reasons: [reason]
})

export const claimNotFound = (plugin: string, claim: string): Rejection =>
  unresolvable(plugin, `persistentvolumeclaim ${JSON.stringify(claim)} not found`)

/** True if the pod mounts the claim, one that it names or one that is made for it. */
export const mounts = ({ namespace, volumes }: PodInfo, { metadata }: PersistentVolumeClaim): boolean => {
  const name = metadata.name ?? ""
  return (
    metadata.namespace === namespace &&
    volumes !== undefined &&
    (volumes.claims.includes(name) || volumes.ephemeralClaims.includes(name))
  )
}
