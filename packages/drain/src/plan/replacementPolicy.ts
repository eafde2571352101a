import { getControllerOf, isPodTerminal, type Pod } from "@rollcall/api"

/** When a controller replaces a deleted pod: as soon as it is terminating, after the object is removed, or never. */
export type ReplacementPolicy =
  | { readonly _tag: "OnDeletion" }
  | { readonly _tag: "AfterRemoval"; readonly ordinal: number }
  | { readonly _tag: "Never"; readonly why: string }

const never = (why: string): ReplacementPolicy => ({ _tag: "Never", why })

/** The ordinal of a pod of a StatefulSet, from its name. */
const ordinalOf = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata.name ?? "")?.[1] ?? 0)

/**
 * When a pod's controller replaces it. `isOrphan` says that its DaemonSet no longer exists. A terminated pod is only
 * recreated by a DaemonSet or a StatefulSet; other controllers count it as done, or have replaced it. Upstream: stateful_set_control.go processReplica,
 * daemon_controller.go podsShouldBeOnNode.
 */
export const replacementPolicyOf = (pod: Pod, isOrphan: boolean): ReplacementPolicy => {
  const owner = getControllerOf(pod)
  if (owner === undefined) return never("it has no controller to recreate it")
  if (owner.kind === "DaemonSet") {
    return never(isOrphan ? "its DaemonSet no longer exists" : "its DaemonSet recreates it on the same node")
  }
  if (owner.kind === "Node") return never("its kubelet runs it as a static pod")
  if (owner.kind === "StatefulSet") return { _tag: "AfterRemoval", ordinal: ordinalOf(pod) }
  if (isPodTerminal(pod)) return never("it had already terminated")
  return { _tag: "OnDeletion" }
}

/** The pod that a controller creates in place of another: the same template, without node and status. */
export const replacementPod = (pod: Pod, name: string, uid: string): Pod => {
  const { nodeName: _, ...spec } = pod.spec
  const { annotations, generateName, labels, namespace, ownerReferences } = pod.metadata
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid,
      ...(namespace === undefined ? {} : { namespace }),
      ...(generateName === undefined ? {} : { generateName }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(ownerReferences === undefined ? {} : { ownerReferences })
    },
    spec,
    status: { phase: "Pending" }
  }
}
