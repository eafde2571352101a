import type { Pod, ResourceClaim, ResourceClaimTemplate } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { waitForObject } from "../waitForObject.ts"
import { ClaimMeters } from "./metrics.ts"
import { owningPod } from "./podClaims.ts"
import { namespaceOfUser, ResourceClaims } from "./ResourceClaims.ts"

/** `--concurrent-resourceclaim-syncs` */
const CONCURRENT_SYNCS = 50

const controller = Controller.make({
  name: "resource-claim-controller",
  queue: "resource_claim",
  records: "resource_claim",
  for: "ResourceClaimTemplate",
  when: () => false,
  watches: {
    ResourceClaim: { indexes: { owner: (claim) => owningPod(claim)?.uid } },
    Pod: { indexes: { users: namespaceOfUser } }
  },
  workers: CONCURRENT_SYNCS,
  onError: (item: string, { message }: { readonly message: string }) =>
    Effect.logError("Work item failed").pipe(Effect.annotateLogs({ err: message, item })),
  reconcile: Effect.fnUntraced(function* ({ cache, cluster, queue, recorder }) {
    const [claims, pods, templates] = [cache("ResourceClaim"), cache("Pod"), cache("ResourceClaimTemplate")]
    const meters = new ClaimMeters(yield* Effect.context<never>())
    const syncs = new ResourceClaims({ cluster, recorder, queue, meters, pods, claims, templates })
    claims.addHandler({
      onAdd: (claim) => {
        meters.observed(undefined, claim)
        syncs.claimChanged(claim, false)
      },
      onUpdate: (before, claim) => {
        meters.observed(before, claim)
        syncs.claimChanged(claim, false)
      },
      onDelete: (claim) => {
        meters.observed(claim, undefined)
        syncs.claimChanged(claim, true)
      }
    })
    pods.addHandler({
      onAdd: (pod) => syncs.podChanged(pod, false),
      onUpdate: (_, pod) => syncs.podChanged(pod, false),
      onDelete: (pod) => syncs.podChanged(pod, true)
    })
    const follow = ({ metadata }: ResourceClaimTemplate) =>
      syncs.templateChanged(metadata.name ?? "", metadata.namespace ?? "")
    templates.addHandler({ onAdd: follow, onUpdate: (_, template) => follow(template) })
    return (key: string) => syncs.sync(key)
  })
})

const counts = (object: Pod | ResourceClaim | ResourceClaimTemplate): boolean =>
  object.kind !== "Pod" || namespaceOfUser(object as Pod) !== undefined

/** Runs the claims of pods while the layer lives, from the first claim, template, or pod that uses one. */
export const layerResourceClaims = waitForObject<"ResourceClaim" | "ResourceClaimTemplate" | "Pod">(
  ["ResourceClaim", "ResourceClaimTemplate", "Pod"],
  controller,
  counts
)
