import {
  type CustomResourceDefinition,
  getControllerOf,
  kindNames,
  type OwnerReference,
  type Pod,
  resourceOf
} from "@rollcall/api"
import { type ClusterError, type ClusterShape, type Informer, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ask } from "../Requests.ts"

/** A pod's controller and its desired number of pods. */
export interface Scale {
  /** Identifies the controller: its UID. */
  readonly name: string
  readonly replicas: number
}

/** A pod's controller, undefined if it has none; or the problem that prevents finding it. */
export type ScaleResult = { readonly controller: Scale | undefined } | { readonly problem: string }

export interface ScaleSources {
  readonly cluster: ClusterShape
  readonly replicaSets: Informer<"ReplicaSet">
  readonly replicationControllers: Informer<"ReplicationController">
  readonly deployments: Informer<"Deployment">
  readonly statefulSets: Informer<"StatefulSet">
}

/** Kinds of the group apps whose scale is read from the cache. */
const kindsWithScale = new Set(["ReplicaSet", "Deployment", "StatefulSet"])

const isReplicationController = ({ apiVersion, kind }: OwnerReference): boolean =>
  kind === "ReplicationController" && apiVersion === "v1"

interface ScaleObject {
  readonly metadata: { readonly uid?: string }
  readonly spec?: { readonly replicas?: number }
}

/**
 * Finds the desired number of pods of pods' controllers: for a ReplicaSet from its Deployment, for a custom kind from
 * its scale subresource. Upstream: pkg/controller/disruption/disruption.go finders.
 */
export class Scales {
  private readonly sources: ScaleSources

  constructor(sources: ScaleSources) {
    this.sources = sources
  }

  of(pod: Pod): Effect.Effect<ScaleResult, ClusterError> {
    const owner = getControllerOf(pod)
    if (owner === undefined) return Effect.succeed({ controller: undefined })
    const { namespace = "" } = pod.metadata
    const cached = this.cachedScale(owner, namespace)
    if (cached !== undefined) return Effect.succeed({ controller: cached })
    const notFound = { problem: `found no controllers for pod ${JSON.stringify(pod.metadata.name)}` }
    if (isReplicationController(owner) || (isInAppsGroup(owner) && kindsWithScale.has(owner.kind)))
      return Effect.succeed(notFound)
    return Effect.map(this.queriedScale(owner, namespace), (result) => result ?? notFound)
  }

  private cachedScale(owner: OwnerReference, namespace: string): Scale | undefined {
    const { deployments, replicaSets, replicationControllers, statefulSets } = this.sources
    if (isReplicationController(owner)) return scaleOf(owner, replicationControllers.find(owner.name, namespace))
    if (!isInAppsGroup(owner)) return undefined
    if (owner.kind === "StatefulSet") return scaleOf(owner, statefulSets.find(owner.name, namespace))
    if (owner.kind === "Deployment") return scaleOf(owner, deployments.find(owner.name, namespace))
    if (owner.kind !== "ReplicaSet") return undefined
    const set = replicaSets.find(owner.name, namespace)
    const setOwner = set?.metadata.uid === owner.uid ? getControllerOf(set) : undefined
    const deployment =
      setOwner?.kind === "Deployment" ? scaleOf(setOwner, deployments.find(setOwner.name, namespace)) : undefined
    return deployment ?? scaleOf(owner, set)
  }

  /**
   * Reads the controller's scale subresource from the API; returns undefined if the controller does not exist.
   * Upstream: getScaleController.
   */
  private readonly queriedScale = Effect.fnUntraced(
    { self: this },
    function* (this: Scales, { apiVersion, kind, name, uid }: OwnerReference, namespace: string) {
      const [version = "", group = ""] = apiVersion.split("/").reverse()
      const builtIn = kindNames.map(resourceOf).find((resource) => resource.kind === kind && resource.group === group)
      if (builtIn !== undefined) return noScaleProblem(builtIn.plural, group)
      const { items } = yield* this.sources.cluster.list("CustomResourceDefinition")
      const definition = items.find(({ spec }) => spec.group === group && spec.names.kind === kind)
      if (definition === undefined) {
        return { problem: `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}` }
      }
      if (!hasScale(definition, version)) return noScaleProblem(definition.spec.names.plural, group)
      const scale = yield* this.getScaleSubresource(`${kind}.${apiVersion}`, namespace, name)
      if (scale === undefined || scale.metadata.uid !== uid) return undefined
      return { controller: { name: uid, replicas: scale.spec?.replicas ?? 0 } }
    }
  )

  private getScaleSubresource(
    kind: `${string}.${string}`,
    namespace: string,
    name: string
  ): Effect.Effect<ScaleObject | undefined, ClusterError> {
    return Effect.callback<ScaleObject | undefined, ClusterError>((resume) =>
      ask<ScaleObject>(
        this.sources.cluster.connection,
        { verb: "get", kind, namespace, name, subresource: "scale" },
        (result) => {
          if (Result.isSuccess(result)) resume(Effect.succeed(result.success))
          else resume(isNotFound(result.failure) ? Effect.succeed(undefined) : Effect.fail(result.failure))
        }
      )
    )
  }
}

/** Whether the owner is of the group apps, or of extensions, which had the same kinds in early releases. */
const isInAppsGroup = ({ apiVersion }: OwnerReference): boolean => /^(apps|extensions)\//.test(apiVersion)

const noScaleProblem = (plural: string, group: string): ScaleResult => ({
  problem: `${group === "" ? plural : `${plural}.${group}`} does not implement the scale subresource`
})

const hasScale = ({ spec }: CustomResourceDefinition, version: string): boolean =>
  spec.versions.some(({ name, subresources }) => name === version && subresources?.scale !== undefined)

/** The scale of an owner; undefined unless the object has the UID that the reference names. */
const scaleOf = (
  { uid }: OwnerReference,
  owner: { readonly metadata: { readonly uid?: string }; readonly spec?: { readonly replicas?: number } } | undefined
): Scale | undefined => (owner?.metadata.uid === uid ? { name: uid, replicas: owner.spec?.replicas ?? 1 } : undefined)
