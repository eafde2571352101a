import { claimNameOf, claimsOf, type Pod, type ResourceClaim } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AllocatedResource } from "../runtime/PodRuntime.ts"

/** A claim that a container uses, or one request of it. */
interface ContainerClaim {
  readonly name: string
  readonly request?: string
}

/** The request of a device, without the alternative of `firstAvailable` that was taken. */
const baseOf = (request: string | undefined): string => (request ?? "").split("/")[0] ?? ""

const claimNamed = (pod: Pod, name: string): string | undefined => {
  const claim = claimsOf(pod).find((one) => one.name === name)
  const named = claim === undefined ? undefined : claimNameOf(pod, claim)
  return named !== undefined && Result.isSuccess(named) ? named.success?.name : undefined
}

const idsOf = ({ status }: ResourceClaim, request = ""): ReadonlyArray<string> => {
  const results = (status?.allocation?.devices?.results ?? []).filter(
    (result) => request === "" || baseOf(result.request) === baseOf(request)
  )
  return [...new Set(results.map(({ device, driver, pool }) => `${driver}/${pool}/${device}`))]
}

/**
 * Returns the devices that a container has by its claims: `prepared` returns a claim of the pod's namespace that is
 * prepared. How they are is not known. Upstream: pkg/kubelet/cm/dra/manager.go UpdateAllocatedResourcesStatus.
 */
export const claimedDevices = (
  pod: Pod,
  container: string,
  prepared: (name: string) => ResourceClaim | undefined
): ReadonlyArray<AllocatedResource> => {
  const { resources } = pod.spec.containers.find(({ name }) => name === container) ?? {}
  const claims = (resources?.claims ?? []) as ReadonlyArray<ContainerClaim>
  return claims.flatMap(({ name, request = "" }) => {
    const claim = prepared(claimNamed(pod, name) ?? "")
    const ids = claim === undefined ? [] : idsOf(claim, request)
    if (ids.length === 0) return []
    const devices = ids.map((resourceID) => ({ resourceID, health: "Unknown" as const }))
    return [{ name: `claim:${name}${request === "" ? "" : `/${request}`}`, resources: devices }]
  })
}
