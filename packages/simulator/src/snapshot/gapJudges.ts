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

const REPLACED = "how many pods they ask for is not known; each pod that goes is taken to be replaced"

const priorityClasses: Judge = ({ isShown, listed, of, reader }) => {
  if (isShown("PriorityClass")) return undefined
  const specs = reader === "plan drain" ? of<Pod>("Pod").map(({ spec }) => spec) : podSpecsOf(listed)
  const named = specs.filter(({ priorityClassName: name = "" }) => name !== "" && !name.startsWith("system-"))
  const known = new Set(
    named.flatMap(({ priority, priorityClassName }) => (priority === undefined ? [] : [priorityClassName]))
  )
  const names = [...new Set(named.map(({ priorityClassName = "" }) => priorityClassName))]
  const unknown = names.filter((name) => !known.has(name))
  const told = reader === "plan drain" ? unknown : names
  if (told.length === 0) return undefined
  const assumed = [
    ...(unknown.length < told.length ? ["pods made later have the priority of those that are there"] : []),
    ...(unknown.length > 0 ? [`the priority of ${some(unknown)} is not known, and taken to be 0`] : [])
  ]
  return none("PriorityClass", `pods name ${some(told)}; ${assumed.join("; ")}`)
}

const revisions: Judge = ({ listed, reader }) => {
  if (reader !== "simulate") return undefined
  const lacking = withoutRevision(listed)
  if (lacking.size === 0) return undefined
  const names = listed
    .filter(({ object }) => lacking.has(object.metadata.uid))
    .map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`)
  return `the snapshot lacks the ControllerRevisions of ${some(names)}: which of their pods are of the present template is not known, and none is rolled out`
}

const deployments: Judge = (evidence) =>
  missingOwners("Deployment", {
    simulate:
      "their ReplicaSets keep their size; rollouts, and how many pods the Deployments have ready, are not known",
    "plan drain": "budgets count the pods that their ReplicaSets ask for"
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
        "whether claims that are not bound wait for a pod is not known: pods that want them are planned nowhere"
      )
    : undefined

const withoutSlices: Judge = ({ isShown, of, reader }) =>
  reader === "simulate" &&
  !isShown("EndpointSlice") &&
  of<Service>("Service").some(({ spec }) => Object.keys(spec?.selector ?? {}).length > 0)
    ? none("EndpointSlice", "they are made anew in the first seconds")
    : undefined

const capacities: Judge = (evidence) =>
  !evidence.isShown("CSIStorageCapacity") &&
  evidence.of<CSIDriver>("CSIDriver").some(({ spec }) => spec?.storageCapacity === true) &&
  unboundClaims(evidence).length > 0
    ? none("CSIStorageCapacity", "whether there is room for new volumes is not known: to the scheduler there is none")
    : undefined

const hasNodes = ({ of }: Evidence): boolean => of("Node").length > 0

/** Leases of other namespaces are for leader election. If the time of the reading is unknown, Leases cannot show which nodes are silent. */
const leases: Judge = (evidence) => {
  const { isDated, of, reader } = evidence
  if (!hasNodes(evidence)) return undefined
  if (of<Lease>("Lease").some(({ metadata }) => metadata.namespace === nodeLeaseNamespace)) return undefined
  if (reader === "plan evictions") {
    return "no Lease of kube-node-lease is to be seen: which nodes have fallen silent is not known"
  }
  return reader === "simulate" && isDated
    ? none("Lease", "whether nodes that are Ready had fallen silent is not known: they are taken to be well")
    : undefined
}

const BUDGETS = "whether a budget holds up an eviction is not known"

/** The judges by the kind that may be missing. */
export const judges: ReadonlyArray<readonly [KindName, Judge]> = [
  [
    "Pod",
    unshown("Pod", hasNodes, {
      simulate: "what runs on its nodes is not known: they are taken to be empty",
      "plan drain": "what runs on its nodes is not known: they are taken to be empty",
      "plan evictions": "which pods there are to be evicted is not known"
    })
  ],
  ["ReplicaSet", missingOwners("ReplicaSet", { simulate: KEPT, "plan drain": REPLACED })],
  ["StatefulSet", missingOwners("StatefulSet", { simulate: KEPT, "plan drain": REPLACED })],
  ["DaemonSet", missingOwners("DaemonSet", { simulate: KEPT, "plan drain": "they are taken to be there" })],
  ["Job", missingOwners("Job", { simulate: KEPT })],
  ["Deployment", deployments],
  ["ControllerRevision", revisions],
  [
    "PodDisruptionBudget",
    unshown("PodDisruptionBudget", hasPods, {
      simulate: `${BUDGETS}: none does`,
      "plan drain": `${BUDGETS}: none does in this plan`
    })
  ],
  ["PriorityClass", priorityClasses],
  [
    "Service",
    unshown("Service", hasPods, {
      simulate:
        "what is served by which pods is not known: nothing is said of endpoints, and pods are spread without regard to them",
      "plan drain": "pods are placed without regard to what they serve"
    })
  ],
  ["EndpointSlice", withoutSlices],
  [
    "Namespace",
    unshown(
      "Namespace",
      ({ listed }) => podSpecsOf(listed).some(({ affinity }) => affinity !== undefined && selectsNamespaces(affinity)),
      {
        simulate: "which namespaces the namespaceSelectors of pods select is not known: none",
        "plan drain": "which namespaces the namespaceSelectors of pods select is not known: none"
      }
    )
  ],
  [
    "VolumeAttachment",
    unshown("VolumeAttachment", hasClaims, {
      simulate: "which volumes are attached where is not known: they are attached where their pods are"
    })
  ],
  ["PersistentVolumeClaim", volumes],
  ["StorageClass", storageClasses],
  [
    "CSINode",
    unshown("CSINode", hasClaims, {
      simulate: "how many volumes a node takes is not known: any number",
      "plan drain": "how many volumes a node takes is not known: any number"
    })
  ],
  [
    "CSIDriver",
    unshown("CSIDriver", (evidence) => unboundClaims(evidence).length > 0, {
      simulate: "whether there is room for new volumes is not known: there is",
      "plan drain": "whether there is room for new volumes is not known: there is"
    })
  ],
  ["CSIStorageCapacity", capacities],
  ["Lease", leases]
]
