import { isPodTerminal, type Pod, type PodSpec } from "@rollcall/api"
import { type KnowledgeGap, plural, some } from "@rollcall/text"
import * as Predicate from "effect/Predicate"
import { podSpecsOf } from "./completeSnapshot.ts"
import type { Evidence } from "./gapEvidence.ts"

const DEFAULT_SCHEDULER = "default-scheduler"

const schedulerOf = ({ schedulerName = "" }: PodSpec): string =>
  schedulerName === "" ? DEFAULT_SCHEDULER : schedulerName

/** Returns the schedulers that a KubeSchedulerConfiguration has profiles for. */
export const schedulersOf = (configuration: unknown): ReadonlySet<string> => {
  const profiles = Predicate.isReadonlyObject(configuration) ? configuration.profiles : undefined
  const names = (Array.isArray(profiles) ? profiles : []).map((profile: unknown) =>
    Predicate.isReadonlyObject(profile) && typeof profile.schedulerName === "string"
      ? profile.schedulerName
      : DEFAULT_SCHEDULER
  )
  return new Set(names.length === 0 ? [DEFAULT_SCHEDULER] : names)
}

/** Reports pods, and templates of pods, that name schedulers other than those that run. */
export const unknownSchedulers = (
  { listed, of, reader }: Evidence,
  schedulers: ReadonlySet<string>
): ReadonlyArray<KnowledgeGap> => {
  if (reader === "plan evictions") return []
  const names = new Set(podSpecsOf(listed).map(schedulerOf))
  const unknown = [...names].filter((name) => !schedulers.has(name))
  return unknown.map((name) => {
    const pods = of<Pod>("Pod").filter((pod) => !isPodTerminal(pod) && schedulerOf(pod.spec) === name)
    const named = pods.map(({ metadata }) => `${metadata.namespace ?? "default"}/${metadata.name}`)
    const whose = named.length === 0 ? "templates of pods name" : `${plural(named.length, "Pod")} (${some(named)}) name`
    const consequence =
      reader === "simulate"
        ? "no such scheduler runs, and new pods that name it stay Pending"
        : "the nodes that it chooses are not known; the plan places their replacements as kube-scheduler does"
    return { kind: "Scheduler", message: `${whose} the scheduler ${name}: ${consequence}` }
  })
}
