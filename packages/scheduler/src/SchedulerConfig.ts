import { defaultRelease, featureGatesOf, type Pod, type Release } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import { type Profile, profileOf } from "./Profile.ts"

/** A profile, for pods with this spec.schedulerName. */
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

/** The scheduler name that a pod requests. */
export const schedulerNameOf = ({ spec }: Pod): string => spec.schedulerName || "default-scheduler"

/**
 * The settings, under the names of KubeSchedulerConfiguration where it has them.
 * Upstream: pkg/scheduler/apis/config/v1/defaults.go.
 */
export interface SchedulerConfig {
  /** The spec.schedulerName of the pods to schedule. */
  readonly schedulerName: string
  /** 0 adapts to the size of the cluster. */
  readonly percentageOfNodesToScore: number
  readonly podInitialBackoffSeconds: number
  readonly podMaxBackoffSeconds: number
  /** The default plugins, or a changed set. */
  readonly profile: Profile
  /** Further profiles, for pods with other scheduler names. */
  readonly otherProfiles: ReadonlyArray<NamedProfile>
  /** Whether requests or limits must fit into a node. */
  readonly podsFitBy: Release["podsFitBy"]
  /**
   * Write nominatedNodeName for pods that wait for a plugin before they are bound (NominatedNodeNameForExpectation).
   */
  readonly nominatesBeforeBinding: boolean
  /** The modelled duration of a cycle: the next one starts after it. */
  readonly cycleMs: number
  /** The connection for Events, if not the Cluster's: kube-scheduler has a client of its own for them. */
  readonly eventConnection?: Connection
}

/** The settings of a release, with overrides. */
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
