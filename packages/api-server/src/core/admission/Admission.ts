import type { KindName, KubeObject, ObjectOf, Resource, Status } from "@rollcall/api"
import type { AnyKind, Subresource } from "@rollcall/cluster"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"

/** What a plugin may hook into. A patch arrives as the update that it amounts to; a binding is a create of pods/binding. */
export type AdmissionVerb = "create" | "update" | "delete"

/** Who asks. */
export interface UserInfo {
  readonly user: string
  readonly groups: ReadonlyArray<string>
  readonly uid?: string
  readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
}

/**
 * One write on its way to the store. `object` is what the caller wants: to mutating parts before the server has settled what is
 * its own to decide (metadata, the other part of spec and status), to validating parts as it would be stored. Undefined on
 * delete. `oldObject` is what the store holds, undefined on create. Neither may be changed in place.
 */
export interface AdmissionAttributes {
  readonly verb: AdmissionVerb
  readonly kind: AnyKind
  /** How errors name it. */
  readonly resource: Resource
  readonly subresource: Subresource | undefined
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  /** Empty to mutating parts while the server has yet to generate it. */
  readonly name: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly userInfo: UserInfo
  readonly dryRun: boolean
}

/** Looks up other objects in the watch cache, without copying. */
export interface AdmissionReader {
  /** The namespace is "" for cluster-scoped kinds. */
  readonly get: <K extends KindName>(kind: K, namespace: string, name: string) => ObjectOf<K> | undefined
  /** In key order; absent namespace: all. */
  readonly list: <K extends KindName>(kind: K, namespace?: string) => ReadonlyArray<ObjectOf<K>>
}

export interface AdmissionContext {
  readonly reader: AdmissionReader
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** A name that starts so and ends in five characters of chance. */
  readonly makeName: (base: string) => string
}

/**
 * An admission plugin: all mutating parts run in the order of the chain, then the object is validated, then all validating
 * parts run. Plain and synchronous; a refusal is the Status that the client gets. `admissionPluginContract` of
 * `@rollcall/api-server/testing` proves one.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/interfaces.go.
 */
export interface AdmissionPlugin {
  readonly name: string
  /** Asked once for each combination when the server starts, so that a write pays only for the plugins that it concerns. */
  readonly admits: (kind: AnyKind, verb: AdmissionVerb, subresource: Subresource | undefined) => boolean
  /**
   * The object to go on with: the one given where there is nothing to change, and never changed in place. Shown what it has made,
   * a plugin changes nothing more.
   */
  readonly mutate?: (
    attributes: AdmissionAttributes,
    context: AdmissionContext
  ) => Result.Result<KubeObject | undefined, Status>
  /** A Status refuses the write. */
  readonly validate?: (attributes: AdmissionAttributes, context: AdmissionContext) => Status | undefined
}

/** The port of admission plugins of one's own: the chain runs them after the server's own, in this order. Optional. */
export class AdmissionPlugins extends Context.Service<AdmissionPlugins, ReadonlyArray<AdmissionPlugin>>()(
  "@rollcall/api-server/AdmissionPlugins"
) {
  static readonly layer = (...plugins: ReadonlyArray<AdmissionPlugin>): Layer.Layer<AdmissionPlugins> =>
    Layer.succeed(AdmissionPlugins, plugins)
}
