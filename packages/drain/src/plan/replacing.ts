import { getControllerOf, isPodTerminal, type Pod } from "@rollcall/api"

/** When a controller makes another pod for one that goes: as soon as it is told to go, when it has gone, or never. */
export type Replacing =
  | { readonly _tag: "AtOnce" }
  | { readonly _tag: "OnceGone"; readonly ordinal: number }
  | { readonly _tag: "Never"; readonly why: string }

const never = (why: string): Replacing => ({ _tag: "Never", why })

const ordinalOf = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata.name ?? "")?.[1] ?? 0)

/**
 * Pods are not moved: their controller makes others. One that has ended is made again by a DaemonSet and a StatefulSet only; the others
 * count it as done, or have replaced it. Upstream: stateful_set_control.go processReplica, daemon_controller.go podsShouldBeOnNode.
 */
export const replacingOf = (pod: Pod, isOrphan: boolean): Replacing => {
  const owner = getControllerOf(pod)
  if (owner === undefined) return never("nobody creates it anew")
  if (owner.kind === "DaemonSet") {
    return never(isOrphan ? "its DaemonSet is gone" : "its DaemonSet makes another on the same node")
  }
  if (owner.kind === "Node") return never("its kubelet keeps it")
  if (owner.kind === "StatefulSet") return { _tag: "OnceGone", ordinal: ordinalOf(pod) }
  if (isPodTerminal(pod)) return never("it had ended")
  return { _tag: "AtOnce" }
}

/** The pod that a controller makes in place of another: the same template, no node, nothing happened to it yet. */
export const freshPod = (pod: Pod, name: string, uid: string): Pod => {
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
