import { defaultRelease, featureGatesOf, type Pod, type Release } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import { type Profile, profileOf } from "./Profile.ts"

/** One of several ways in which a scheduler places pods, by the spec.schedulerName that asks for it. */
export interface NamedProfile {
  readonly schedulerName: string
  readonly profile: Profile
  readonly percentageOfNodesToScore: number
}

export type Profiles = ReadonlyMap<string, NamedProfile>

/** All profiles of a scheduler by name. */
export const profilesOf = ({
  otherProfiles,
  percentageOfNodesToScore,
  profile,
  schedulerName
}: SchedulerConfig): Profiles =>
  new Map(
    [{ schedulerName, profile, percentageOfNodesToScore }, ...otherProfiles].map((each) => [each.schedulerName, each])
  )

/** The name of the scheduler that a pod asks for. */
export const schedulerNameOf = ({ spec }: Pod): string => spec.schedulerName || "default-scheduler"

/**
 * Settings, under the names that KubeSchedulerConfiguration gives them where it has them.
 * Upstream: pkg/scheduler/apis/config/v1/defaults.go.
 */
export interface SchedulerConfig {
  /** The pods with this spec.schedulerName are its own. */
  readonly schedulerName: string
  /** 0 adapts to the size of the cluster. */
  readonly percentageOfNodesToScore: number
  readonly podInitialBackoffSeconds: number
  readonly podMaxBackoffSeconds: number
  /** What decides: the default plugins, or those and others. */
  readonly profile: Profile
  /** Further names whose pods are its own too, and what decides about those. */
  readonly otherProfiles: ReadonlyArray<NamedProfile>
  /** What must fit into what. */
  readonly podsFitBy: Release["podsFitBy"]
  /** A pod that waits for a plugin before it can be bound says in its status for which node (NominatedNodeNameForExpectation). */
  readonly nominatesBeforeBinding: boolean
  /** How long a cycle takes by the clock: the next one starts after it. */
  readonly cycleMs: number
  /** Where events go, if not through the Cluster: kube-scheduler has a client of its own for them. */
  readonly eventConnection?: Connection
}

/** The settings of a release, where nothing else is given. */
export const schedulerConfigOf = (release: Release): SchedulerConfig => ({
  schedulerName: "default-scheduler",
  percentageOfNodesToScore: 0,
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 10,
  profile: profileOf(release),
  otherProfiles: [],
  podsFitBy: release.podsFitBy,
  nominatesBeforeBinding: featureGatesOf(release).NominatedNodeNameForExpectation,
  cycleMs: 1
})

export const defaultSchedulerConfig: SchedulerConfig = schedulerConfigOf(defaultRelease)
