import type { KindName, PodDisruptionBudget } from "@rollcall/api"
import { type KnowledgeGap, plural, some } from "@rollcall/text"
import type { LoadedObject } from "../input/objects.ts"
import { dependsOnOutside, outsidePodsOf } from "./completeSnapshot.ts"
import type { Coverage } from "./coverage.ts"
import { type Evidence, KEEPS_OWNED, ownersText } from "./gapEvidence.ts"
import { gapChecks } from "./gapJudges.ts"
import { endlessJobs } from "./jobGaps.ts"
import type { LatestObjects } from "./latestOfEach.ts"
import { type Listed, type OutsideOwner, outsideOwnersOf, withReferredUids } from "./outsideOwners.ts"
import { schedulersOf, unknownSchedulers } from "./schedulerGaps.ts"
import { kindsRead, type SnapshotReader, snapshotKinds } from "./snapshotKinds.ts"

/** Reports owners of kinds without a controller in Rollcall, by kind and group. Owners without pods do not matter. */
const unmodelled = ({ outside, reader }: Evidence): ReadonlyArray<KnowledgeGap> => {
  if (reader === "plan evictions") return []
  const byKind = new Map<string, Array<OutsideOwner>>()
  for (const owner of outside) {
    if (owner.isModelled || !owner.owned.some(({ kind }) => kind === "Pod")) continue
    const key = owner.apiVersion.includes("/") ? `${owner.kind}.${owner.apiVersion.split("/")[0]}` : owner.kind
    byKind.set(key, [...(byKind.get(key) ?? []), owner])
  }
  return [...byKind].map(([kind, owners]) => ({
    kind,
    message: ownersText(
      kind,
      owners,
      `Rollcall does not know what their controllers do; ${reader === "simulate" ? KEEPS_OWNED : "the plan assumes that each evicted pod is replaced"}`
    )
  }))
}

/** Reports budgets that depend on missing owners and have no status with an earlier count. */
const uncounted = ({ of, outside, reader }: Evidence): ReadonlyArray<KnowledgeGap> => {
  if (reader === "plan evictions" || outside.length === 0) return []
  const pods = outsidePodsOf(outside)
  return of<PodDisruptionBudget>("PodDisruptionBudget").flatMap((budget) => {
    const beside = pods.get(budget.metadata.namespace ?? "default") ?? []
    if (budget.status !== undefined || !dependsOnOutside(budget, beside)) return []
    const message = `budget ${budget.metadata.namespace ?? "default"}/${budget.metadata.name ?? ""} has no status, and the snapshot lacks owners of its pods: how many healthy pods it needs is not known, and it is assumed to block every eviction`
    return [{ kind: "PodDisruptionBudget", message }]
  })
}

/** Reports kinds of which some objects were removed from the file. `gapChecks` report kinds that were removed completely. */
const fewerThanTaken = ({ isShown }: Evidence, fewer: Coverage["fewer"], read: ReadonlySet<KindName>) =>
  [...fewer].flatMap(
    ([kind, { left, taken }]): ReadonlyArray<KnowledgeGap> =>
      read.has(kind) && left > 0 && isShown(kind)
        ? [
            {
              kind,
              message: `the snapshot has ${left} of the ${plural(taken, kind)} that were taken: the effect of the others is not known`
            }
          ]
        : []
  )

/** Reports objects that the snapshot has in several states, such as from two commands between which they changed. */
const severalStates = (names: ReadonlyArray<string>): ReadonlyArray<KnowledgeGap> =>
  names.length === 0
    ? []
    : [
        {
          kind: names[0]?.split(" ")[0] ?? "",
          message: `the snapshot has several states of ${some(names)}: the one with the highest resourceVersion, or else the last, is taken; do the files show different times or clusters?`
        }
      ]

/**
 * Returns the gaps of a snapshot's objects for a reader: one message for each kind, in the order of `snapshotKinds`. `schedulers` are the names of
 * the schedulers that place its pods.
 */
export const gapsOf = (
  latest: LatestObjects<Pick<LoadedObject, "kind" | "object">>,
  { fewer, takenMs, whole }: Coverage,
  reader: SnapshotReader,
  schedulers: ReadonlySet<string> = schedulersOf(undefined)
): ReadonlyArray<KnowledgeGap> => {
  const listed = withReferredUids(latest.objects)
  const byKind = new Map<KindName, Array<Listed["object"]>>()
  for (const { kind, object } of listed) {
    const list = byKind.get(kind)
    if (list === undefined) byKind.set(kind, [object])
    else list.push(object)
  }
  const evidence: Evidence = {
    reader,
    listed,
    isShown: (kind) => whole.has(kind) || byKind.has(kind),
    isWhole: (kind) => whole.has(kind),
    of: <A>(kind: KindName) => (byKind.get(kind) ?? []) as unknown as ReadonlyArray<A>,
    outside: outsideOwnersOf(listed, whole),
    isDated: takenMs !== undefined
  }
  const read = new Set<KindName>(kindsRead(reader))
  const found = gapChecks.flatMap(([kind, check]): ReadonlyArray<KnowledgeGap> => {
    const message = read.has(kind) ? check(evidence) : undefined
    return message === undefined ? [] : [{ kind, message }]
  })
  const order = snapshotKinds.map(({ kind }): string => kind)
  return [
    ...found.toSorted((left, right) => order.indexOf(left.kind) - order.indexOf(right.kind)),
    ...fewerThanTaken(evidence, fewer, read),
    ...unmodelled(evidence),
    ...endlessJobs(evidence),
    ...unknownSchedulers(evidence, schedulers),
    ...uncounted(evidence),
    ...severalStates(latest.changed)
  ]
}

const ADVICE =
  "rollcall snapshot takes all kinds; an empty list in the snapshot, such as a PodDisruptionBudgetList without items, says that there are none"

/** Advice for taking a snapshot without these gaps, if one can be taken. */
export const gapAdvice = (gaps: ReadonlyArray<KnowledgeGap>): ReadonlyArray<string> =>
  gaps.every(({ isInEverySnapshot }) => isInEverySnapshot) ? [] : [ADVICE]
