import type { DeviceClass, Pod, ResourceClaim } from "@rollcall/api"
import { type Answer, type ApiRequest, type Connection, isNotFound } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { NodeInfo, PodInfo } from "../cache/CacheRecords.ts"
import type { ScalarDemand } from "../cache/PodDemand.ts"
import { mayBeOfClass } from "../cache/PodDevices.ts"
import type { ClaimTracker } from "./ClaimTracker.ts"
import { extendedRequests, type RequestMapping } from "./extendedRequests.ts"
import { FINALIZER } from "./finalizer.ts"

/** The name of a claim that the API does not have yet, with which upstream's messages name it. */
export const UNWRITTEN = "<extended-resources>"

const cannotSchedule = "cannot schedule extended resource claim"
const cannotFit = "cannot fit resource"

/** The extended resources of a pod that classes provide, and the claim for them: one of an earlier try, or a new one without requests. */
export interface ExtendedPart {
  readonly claim: ResourceClaim
  readonly isStale: boolean
  readonly resources: ReadonlyArray<ScalarDemand>
}

/** The claim as one node would have it. */
export interface NodeClaim {
  readonly claim: ResourceClaim
  readonly mappings: ReadonlyArray<RequestMapping>
}

const newClaim = ({ metadata: { name = "", namespace = "", uid = "" } }: Pod, claimUid: string): ResourceClaim => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: {
    name: UNWRITTEN,
    generateName: `${name}-extended-resources-`,
    namespace,
    uid: claimUid,
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
    annotations: { "resource.kubernetes.io/extended-resource-claim": "true" }
  },
  spec: {}
})

/**
 * The claims that the scheduler makes for extended resources which classes of devices provide.
 * Upstream: pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go.
 */
export class ExtendedClaims {
  /** The claims of pods between their reservation and their binding. */
  private readonly reserved = new Map<string, NodeClaim>()
  private readonly tracker: ClaimTracker
  private readonly newId: () => string

  constructor(tracker: ClaimTracker, newId: () => string) {
    this.tracker = tracker
    this.newId = newId
  }

  /** What a pod needs of classes; undefined if nothing. Upstream: preFilterExtendedResources. */
  partOf({ pod, requests }: PodInfo, classes: ReadonlyMap<string, DeviceClass>): ExtendedPart | undefined {
    const resources = requests.scalars.filter(({ amount, name }) => amount > 0 && mayBeOfClass(name))
    if (!resources.some(({ name }) => classes.has(name))) return undefined
    const written = this.tracker.extendedOf(pod.metadata.uid ?? "")
    return written === undefined
      ? { claim: newClaim(pod, this.newId()), isStale: false, resources }
      : { claim: written, isStale: true, resources }
  }

  /**
   * The claim of a pod on a node, without requests if a device plugin provides all the resources there; or why the pod cannot run
   * there. Upstream: filterExtendedResources.
   */
  on(
    { claim, isStale, resources }: ExtendedPart,
    pod: Pod,
    node: NodeInfo,
    classes: ReadonlyMap<string, DeviceClass>
  ): NodeClaim | string | undefined {
    if (isStale) return cannotSchedule
    const ofClasses: Array<{ readonly name: string; readonly deviceClass: string }> = []
    for (const { name, slot } of resources) {
      const allocatable = node.allocatableScalars[slot]
      const deviceClass = classes.get(name)
      if (deviceClass !== undefined && (allocatable ?? 0) === 0)
        ofClasses.push({ name, deviceClass: deviceClass.metadata.name ?? "" })
      else if (allocatable === undefined) return cannotFit
    }
    if (ofClasses.length === 0) return undefined
    const { mappings, requests } = extendedRequests(pod, ofClasses)
    return { claim: { ...claim, spec: { devices: { requests } } }, mappings }
  }

  reserve(pod: Pod, claim: NodeClaim): void {
    this.reserved.set(pod.metadata.uid ?? "", claim)
  }

  of(pod: Pod): NodeClaim | undefined {
    return this.reserved.get(pod.metadata.uid ?? "")
  }

  /** Forgets the claim of a pod that has been bound, or was given up. */
  forget(pod: Pod): void {
    const reserved = this.of(pod)
    if (reserved === undefined) return
    this.tracker.release(reserved.claim)
    this.reserved.delete(pod.metadata.uid ?? "")
  }
}

/** Deletes the claim of an earlier try, which may be allocated. Upstream: deleteClaim. */
export const deleteClaim = (connection: Connection, claim: ResourceClaim, failed: (error: unknown) => void): void => {
  const { name = "", namespace = "" } = claim.metadata
  const address = { kind: "ResourceClaim", name, namespace } as const
  const finalizers = (claim.metadata.finalizers ?? []).filter((each) => each !== FINALIZER)
  const object = { ...claim, metadata: { ...claim.metadata, finalizers } }
  const done = (then: () => void) => (answer: Answer) => {
    if (Result.isSuccess(answer)) then()
    else if (!isNotFound(answer.failure)) failed(answer.failure)
  }
  connection.send(
    { verb: "update", object, ...address },
    done(() =>
      connection.send(
        { verb: "delete", ...address },
        done(() => undefined)
      )
    )
  )
}

interface ExtendedWrites {
  readonly create: ApiRequest
  readonly report: (claimName: string) => ApiRequest
}

/** The writes for a claim that does not exist yet: it is created, and named in the pod's status. */
export const extendedWrites = ({ claim, mappings }: NodeClaim, pod: Pod): ExtendedWrites => {
  const { name: _, uid: __, ...metadata } = claim.metadata
  const { name = "", namespace = "", uid } = pod.metadata
  return {
    create: {
      verb: "create",
      kind: "ResourceClaim",
      namespace: metadata.namespace ?? "",
      object: { ...claim, metadata }
    },
    report: (claimName) => ({
      verb: "patch",
      kind: "Pod",
      name,
      namespace,
      subresource: "status",
      patchType: "strategic",
      body: {
        metadata: { uid },
        status: { extendedResourceClaimStatus: { requestMappings: mappings, resourceClaimName: claimName } }
      }
    })
  }
}
