import { defaultRelease, featureGatesOf, type Pod, type Release } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import { type Profile, profileOf } from "./Profile.ts"

/** A profile, for pods with this spec.schedulerName. */
export interface NamedProfile {
  readonly schedulerName: string
  readonly profile: Profile
  readonly percentageOfNodesToScore: number
}

/** Profiles by schedulerName. */
export type Profiles = ReadonlyMap<string, NamedProfile>

/** All profiles of a scheduler: its main one and the others. */
export const profilesOf = ({
  otherProfiles,
  percentageOfNodesToScore,
  profile,
  schedulerName
}: SchedulerConfig): Profiles =>
  new Map(
    [{ schedulerName, profile, percentageOfNodesToScore }, ...otherProfiles].map((each) => [each.schedulerName, each])
  )

/** The pod's spec.schedulerName, or the API's default for it. */
export const schedulerNameOf = ({ spec }: Pod): string => spec.schedulerName || "default-scheduler"

/**
 * The settings of a scheduler. Those that KubeSchedulerConfiguration has are named as there.
 * Upstream: pkg/scheduler/apis/config/v1/defaults.go.
 */
export interface SchedulerConfig {
  /** The spec.schedulerName of the pods to schedule. */
  readonly schedulerName: string
  /** Percentage of the nodes that must be found feasible before scoring; 0 adapts it to the size of the cluster. */
  readonly percentageOfNodesToScore: number
  readonly podInitialBackoffSeconds: number
  readonly podMaxBackoffSeconds: number
  /** The default plugins, or a changed set. */
  readonly profile: Profile
  /** Further profiles, for pods with other scheduler names. */
  readonly otherProfiles: ReadonlyArray<NamedProfile>
  /** Whether requests must fit into allocatable, or (in early releases) limits into capacity. */
  readonly podsFitBy: Release["podsFitBy"]
  /**
   * Whether nominatedNodeName is written for pods that wait for a plugin before they are bound: the feature gate
   * NominatedNodeNameForExpectation.
   */
  readonly nominatesBeforeBinding: boolean
  /**
   * Whether classes of devices may provide extended resources, for which the scheduler makes claims: the feature gate
   * DRAExtendedResource. The first pod with such a resource then has the devices loaded.
   */
  readonly extendedResourceClaims: boolean
  /** The duration of a cycle in milliseconds of (virtual) time: the next one starts after it. */
  readonly cycleMs: number
  /**
   * The connection for Events; by default the Cluster's. kube-scheduler has a client of its own for them, with a rate
   * limit of its own.
   */
  readonly eventConnection?: Connection
  /** The name of the scheduler's machine, which its Events name beside it. */
  readonly hostname?: string
}

/** A release's default settings. Upstream: SetDefaults_KubeSchedulerConfiguration. */
export const schedulerConfigOf = (release: Release): SchedulerConfig => ({
  schedulerName: "default-scheduler",
  percentageOfNodesToScore: 0,
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 10,
  profile: profileOf(release),
  otherProfiles: [],
  podsFitBy: release.podsFitBy,
  nominatesBeforeBinding: featureGatesOf(release).NominatedNodeNameForExpectation,
  extendedResourceClaims: featureGatesOf(release).DRAExtendedResource,
  cycleMs: 1
})

export const defaultSchedulerConfig: SchedulerConfig = schedulerConfigOf(defaultRelease)
