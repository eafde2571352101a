import { getControllerOf, isPodTerminal, type Pod } from "@rollcall/api"

/** When a controller makes another pod for one that goes: as soon as it is told to go, when it has gone, or never. */
export type Replacing =
  | { readonly _tag: "AtOnce" }
  | { readonly _tag: "OnceGone"; readonly ordinal: number }
  | { readonly _tag: "Never"; readonly why: string }

const never = (why: string): Replacing => ({ _tag: "Never", why })

const ordinalOf = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata.name ?? "")?.[1] ?? 0)

/** Pods are not moved: whoever controls one makes another. */
export const replacingOf = (pod: Pod): Replacing => {
  const owner = getControllerOf(pod)
  if (owner === undefined) return never("nobody creates it anew")
  if (owner.kind === "DaemonSet") return never("its DaemonSet is no more")
  if (owner.kind === "Node") return never("its kubelet keeps it")
  if (isPodTerminal(pod)) return never("it had ended")
  if (owner.kind === "StatefulSet") return { _tag: "OnceGone", ordinal: ordinalOf(pod) }
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
