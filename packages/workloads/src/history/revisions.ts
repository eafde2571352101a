import {
  type ControllerRevision,
  canonicalJson,
  controllerReference,
  type KubeObject,
  type LabelSelector,
  type Pod,
  type PodTemplateSpec
} from "@rollcall/api"
import { podTemplateHash } from "../deployment/podTemplateHash.ts"

/**
 * The label of pods with the revision that they were created from. Upstream: apps/v1 ControllerRevisionHashLabelKey.
 */
export const labelRevision = "controller-revision-hash"

/** The default revisionHistoryLimit. */
const DEFAULT_HISTORY = 10

/** The data of a revision: a patch that replaces the template. */
const dataOf = (template: PodTemplateSpec) => ({ spec: { template: { ...template, $patch: "replace" } } })

const textByRevision = new WeakMap<ControllerRevision, string>()

/** The data of revisions is immutable, so its text is computed once for each. */
const dataText = (revision: ControllerRevision): string => {
  const known = textByRevision.get(revision)
  if (known !== undefined) return known
  const text = canonicalJson(revision.data)
  textByRevision.set(revision, text)
  return text
}

/** Returns the template in a revision; undefined if the data has another form. */
export const templateOf = ({ data }: ControllerRevision): PodTemplateSpec | undefined => {
  const template = (data as { readonly spec?: { readonly template?: PodTemplateSpec } } | undefined)?.spec?.template
  if (template === undefined) return undefined
  const { $patch: _, ...rest } = template as PodTemplateSpec & { readonly $patch?: string }
  return rest
}

/** Sorts by number, then by age, then by name; oldest first. Upstream: pkg/controller/history byRevision. */
export const byRevision = (left: ControllerRevision, right: ControllerRevision): number => {
  if (left.revision !== right.revision) return left.revision < right.revision ? -1 : 1
  const [a = "", b = ""] = [left.metadata.creationTimestamp, right.metadata.creationTimestamp]
  if (a !== b) return a < b ? -1 : 1
  return (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1
}

export interface RevisionRequest {
  readonly owner: KubeObject
  readonly template: PodTemplateSpec
  /** Selects orphaned revisions to adopt. */
  readonly selector: LabelSelector
  /** The label for the hash, which differs between kinds. */
  readonly hashLabel: string
  readonly collisionCount: number
  /** Returns the hash of the revision's data, as text; by default, that of its template is taken. */
  readonly hash?: (data: string, collisionCount: number) => string
}

/**
 * The revision that an owner creates for a template. Upstream: pkg/controller/history/controller_history.go
 * NewControllerRevision.
 */
export const newRevision = (
  { collisionCount, hash: hashOf, hashLabel, owner, template }: RevisionRequest,
  revision: number
): ControllerRevision => {
  const data = canonicalJson(dataOf(template))
  const hash = hashOf?.(data, collisionCount) ?? podTemplateHash(template, collisionCount)
  const { annotations } = owner.metadata
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${owner.metadata.name}-${hash}`,
      namespace: owner.metadata.namespace ?? "default",
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)]
    },
    // Kubernetes refuses a strategic patch, such as one that removes the owner, of data whose keys are not in order.
    data: JSON.parse(data) as object,
    revision
  }
}

/** How to make the template's revision the newest; `revision` is the object to return, to update or to create. */
export type RevisionStep =
  | { readonly do: "nothing"; readonly revision: ControllerRevision }
  /** The template is an old one again: its revision gets the highest number. */
  | { readonly do: "raise"; readonly revision: ControllerRevision }
  | { readonly do: "create"; readonly revision: ControllerRevision }

/**
 * Decides how to make the template's revision the newest; `known` is sorted by revision. Upstream:
 * pkg/controller/statefulset/stateful_set_control.go getStatefulSetRevisions.
 */
export const nextRevision = (request: RevisionRequest, known: ReadonlyArray<ControllerRevision>): RevisionStep => {
  const last = known.at(-1)
  const number = Number(last?.revision ?? 0) + 1
  const text = canonicalJson(dataOf(request.template))
  const equal = known.findLast((revision) => dataText(revision) === text)
  if (equal === undefined) return { do: "create", revision: newRevision(request, number) }
  return equal === last ? { do: "nothing", revision: equal } : { do: "raise", revision: { ...equal, revision: number } }
}

/** Whether a revision contains exactly this template. */
export const holdsTemplate = (revision: ControllerRevision, template: PodTemplateSpec): boolean =>
  dataText(revision) === canonicalJson(dataOf(template))

/**
 * Returns the oldest revisions that are not in use, as many as exceed the history limit; `known` is sorted by revision.
 * Upstream: truncateHistory.
 */
export const revisionsBeyondHistory = (
  known: ReadonlyArray<ControllerRevision>,
  isInUse: (revision: ControllerRevision) => boolean,
  limit = DEFAULT_HISTORY
): ReadonlyArray<ControllerRevision> => {
  const idle = known.filter((revision) => !isInUse(revision))
  return idle.slice(0, Math.max(0, idle.length - limit))
}

/**
 * The same of a DaemonSet: of its limit, also those former revisions take a part that pods have. Upstream:
 * pkg/controller/daemon/update.go cleanupHistory.
 */
export const daemonRevisionsBeyondHistory = (
  known: ReadonlyArray<ControllerRevision>,
  current: ControllerRevision,
  pods: ReadonlyArray<Pod>,
  limit = DEFAULT_HISTORY
): ReadonlyArray<ControllerRevision> => {
  const hashes = new Set(pods.map(({ metadata }) => metadata.labels?.[labelRevision]))
  const former = known.filter(({ metadata }) => metadata.name !== current.metadata.name)
  const surplus = Math.max(0, former.length - limit)
  return former.filter(({ metadata }) => !hashes.has(metadata.labels?.[labelRevision])).slice(0, surplus)
}
