import {
  type Affinity,
  type CSIDriver,
  isPodTerminal,
  type KindName,
  type Lease,
  nodeLeaseNamespace,
  type PersistentVolumeClaim,
  type Pod,
  type Service
} from "@rollcall/api"
import { some } from "@rollcall/text"
import { claimsOfPod } from "@rollcall/volumes"
import { unshownVolumes } from "../input/snapshotVolumes.ts"
import { podSpecsOf, withoutRevision } from "./completeSnapshot.ts"
import { type Evidence, type Judge, KEPT, ownersText } from "./gapEvidence.ts"
import type { SnapshotReader } from "./snapshotKinds.ts"

const none = (kind: KindName, consequence: string): string => `the snapshot has no ${kind}: ${consequence}`

const hasPods = ({ of }: Evidence): boolean => of<Pod>("Pod").some((pod) => !isPodTerminal(pod))

/** Judges a kind as missing if the snapshot does not have it and it matters. */
const unshown =
  (
    kind: KindName,
    matters: (evidence: Evidence) => boolean,
    consequence: Readonly<Partial<Record<SnapshotReader, string>>>
  ): Judge =>
  (evidence) => {
    const text = consequence[evidence.reader]
    return text === undefined || evidence.isShown(kind) || !matters(evidence) ? undefined : none(kind, text)
  }

/** The kinds whose missing owner changes a run: pods, and the kinds that create pods. */
const acting: ReadonlySet<KindName> = new Set(["Pod", "ReplicaSet", "Job"])

/** Judges owners of a kind as missing, even if the snapshot has other objects of the kind. */
const missingOwners =
  (kind: string, consequence: Readonly<Partial<Record<SnapshotReader, string>>>): Judge =>
  ({ outside, reader }) => {
    const text = consequence[reader]
    const owners = outside.filter(
      (owner) => owner.kind === kind && owner.isModelled && owner.owned.some((one) => acting.has(one.kind))
    )
    return text === undefined || owners.length === 0 ? undefined : ownersText(kind, owners, text)
  }

const REPLACED = "their numbers of replicas are not known; the plan assumes that each evicted pod is replaced"

const priorityClasses: Judge = ({ isShown, listed, of, reader }) => {
  if (isShown("PriorityClass")) return undefined
  const specs = reader === "plan drain" ? of<Pod>("Pod").map(({ spec }) => spec) : podSpecsOf(listed)
  const named = specs.filter(({ priorityClassName: name = "" }) => name !== "" && !name.startsWith("system-"))
  const known = new Set(
    named.flatMap(({ priority, priorityClassName }) => (priority === undefined ? [] : [priorityClassName]))
  )
  const names = [...new Set(named.map(({ priorityClassName = "" }) => priorityClassName))]
  const unknown = names.filter((name) => !known.has(name))
  const reportedNames = reader === "plan drain" ? unknown : names
  if (reportedNames.length === 0) return undefined
  const assumed = [
    ...(unknown.length < reportedNames.length ? ["new pods get the priority of existing pods of the same class"] : []),
    ...(unknown.length > 0 ? [`the priority of ${some(unknown)} is not known, and assumed to be 0`] : [])
  ]
  return none("PriorityClass", `pods name ${some(reportedNames)}; ${assumed.join("; ")}`)
}

const revisions: Judge = ({ listed, reader }) => {
  if (reader !== "simulate") return undefined
  const lacking = withoutRevision(listed)
  if (lacking.size === 0) return undefined
  const names = listed
    .filter(({ object }) => lacking.has(object.metadata.uid))
    .map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`)
  return `the snapshot lacks the ControllerRevisions of ${some(names)}: which of their pods match the current template is not known, and no rollout happens`
}

const deployments: Judge = (evidence) =>
  missingOwners("Deployment", {
    simulate: "their ReplicaSets keep their size; rollouts and ready pods of the Deployments are not known",
    "plan drain": "budgets count the replicas of their ReplicaSets"
  })(evidence)

const hasClaims = ({ of }: Evidence): boolean => of<Pod>("Pod").some((pod) => claimsOfPod(pod).length > 0)

const unboundClaims = ({ of }: Evidence): ReadonlyArray<PersistentVolumeClaim> =>
  of<PersistentVolumeClaim>("PersistentVolumeClaim").filter(({ spec }) => (spec?.volumeName ?? "") === "")

const selectsNamespaces = ({ podAffinity, podAntiAffinity }: Affinity): boolean =>
  [podAffinity, podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm)
    ].some(({ namespaceSelector }) => Object.keys(namespaceSelector ?? {}).length > 0)
  )

/** For plans only: a rehearsal warns of the volumes that it infers itself. */
const volumes: Judge = ({ listed, reader }) => {
  const { warnings } = unshownVolumes(listed)
  return reader === "plan drain" ? warnings[0] : undefined
}

const storageClasses: Judge = (evidence) =>
  evidence.reader === "plan drain" && !evidence.isShown("StorageClass") && unboundClaims(evidence).length > 0
    ? none(
        "StorageClass",
        "whether unbound claims wait for their first pod is not known: their pods are planned as not schedulable"
      )
    : undefined

const withoutSlices: Judge = ({ isShown, of, reader }) =>
  reader === "simulate" &&
  !isShown("EndpointSlice") &&
  of<Service>("Service").some(({ spec }) => Object.keys(spec?.selector ?? {}).length > 0)
    ? none("EndpointSlice", "they are created in the first seconds")
    : undefined

const capacities: Judge = (evidence) =>
  !evidence.isShown("CSIStorageCapacity") &&
  evidence.of<CSIDriver>("CSIDriver").some(({ spec }) => spec?.storageCapacity === true) &&
  unboundClaims(evidence).length > 0
    ? none("CSIStorageCapacity", "the capacity for new volumes is not known: the scheduler sees none")
    : undefined

const hasNodes = ({ of }: Evidence): boolean => of("Node").length > 0

/** Leases of other namespaces are for leader election. If the time of the reading is unknown, Leases cannot show which nodes are silent. */
const leases: Judge = (evidence) => {
  const { isDated, of, reader } = evidence
  if (!hasNodes(evidence)) return undefined
  if (of<Lease>("Lease").some(({ metadata }) => metadata.namespace === nodeLeaseNamespace)) return undefined
  if (reader === "plan evictions") {
    return "no Lease of kube-node-lease can be read: which nodes have stopped their heartbeats is not known"
  }
  return reader === "simulate" && isDated
    ? none("Lease", "whether Ready nodes had stopped their heartbeats is not known: they are assumed to be healthy")
    : undefined
}

const BUDGETS = "whether a budget blocks an eviction is not known"

/** The judges by the kind that may be missing. */
export const judges: ReadonlyArray<readonly [KindName, Judge]> = [
  [
    "Pod",
    unshown("Pod", hasNodes, {
      simulate: "the pods on its nodes are not known: the nodes are assumed to be empty",
      "plan drain": "the pods on its nodes are not known: the nodes are assumed to be empty",
      "plan evictions": "the pods to evict are not known"
    })
  ],
  ["ReplicaSet", missingOwners("ReplicaSet", { simulate: KEPT, "plan drain": REPLACED })],
  ["StatefulSet", missingOwners("StatefulSet", { simulate: KEPT, "plan drain": REPLACED })],
  ["DaemonSet", missingOwners("DaemonSet", { simulate: KEPT, "plan drain": "they are assumed to exist" })],
  ["Job", missingOwners("Job", { simulate: KEPT })],
  ["Deployment", deployments],
  ["ControllerRevision", revisions],
  [
    "PodDisruptionBudget",
    unshown("PodDisruptionBudget", hasPods, {
      simulate: `${BUDGETS}: the run assumes that none does`,
      "plan drain": `${BUDGETS}: the plan assumes that none does`
    })
  ],
  ["PriorityClass", priorityClasses],
  [
    "Service",
    unshown("Service", hasPods, {
      simulate: "the endpoints of services are not known: they are not tracked, and pods are not spread by service",
      "plan drain": "pods are not spread by service"
    })
  ],
  ["EndpointSlice", withoutSlices],
  [
    "Namespace",
    unshown(
      "Namespace",
      ({ listed }) => podSpecsOf(listed).some(({ affinity }) => affinity !== undefined && selectsNamespaces(affinity)),
      {
        simulate: "the namespaces that the namespaceSelectors of pods select are not known: they select none",
        "plan drain": "the namespaces that the namespaceSelectors of pods select are not known: they select none"
      }
    )
  ],
  [
    "VolumeAttachment",
    unshown("VolumeAttachment", hasClaims, {
      simulate:
        "the nodes that volumes are attached to are not known: each is assumed to be attached to the nodes of its pods"
    })
  ],
  ["PersistentVolumeClaim", volumes],
  ["StorageClass", storageClasses],
  [
    "CSINode",
    unshown("CSINode", hasClaims, {
      simulate: "the volume limits of nodes are not known: none is assumed",
      "plan drain": "the volume limits of nodes are not known: none is assumed"
    })
  ],
  [
    "CSIDriver",
    unshown("CSIDriver", (evidence) => unboundClaims(evidence).length > 0, {
      simulate: "the capacity for new volumes is not known: it is assumed to be enough",
      "plan drain": "the capacity for new volumes is not known: it is assumed to be enough"
    })
  ],
  ["CSIStorageCapacity", capacities],
  ["Lease", leases]
]
