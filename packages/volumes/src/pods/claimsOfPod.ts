import { ephemeralClaimName, type Pod } from "@rollcall/api"

const none: ReadonlyArray<string> = []

/** The claims that a pod uses, as `namespace/name`. */
export const claimsOfPod = (pod: Pod): ReadonlyArray<string> => {
  const { volumes } = pod.spec
  if (volumes === undefined) return none
  let claims: Array<string> | undefined
  for (const { ephemeral, name, persistentVolumeClaim } of volumes) {
    const claim =
      persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : ephemeralClaimName(pod, name))
    if (claim === undefined) continue
    claims ??= []
    claims.push(`${pod.metadata.namespace}/${claim}`)
  }
  return claims ?? none
}
