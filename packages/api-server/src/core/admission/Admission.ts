import type { KindName, KubeObject, ObjectOf, Status } from "@rollcall/api"
import type { FieldErrors } from "@rollcall/api/validation"
import type { AnyKind } from "@rollcall/cluster"
import type {
  AdmissionAttributes,
  AdmissionSubresource,
  AdmissionVerb,
  Reinvocation
} from "@rollcall/dynamic-admission/attributes"
import type { MaybeSteps } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import type { ServerMetrics } from "../metrics/ServerMetrics.ts"

export type {
  AdmissionAttributes,
  AdmissionExchange,
  AdmissionSubresource,
  AdmissionVerb,
  ConnectedSubresource,
  Reinvocation,
  UserInfo
} from "@rollcall/dynamic-admission/attributes"

/** The options of a connection: an object of the API without metadata, for example a PodExecOptions. */
export interface ConnectionOptions {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: unknown
}

/** Reads other objects from the watch cache, without copying. */
export interface AdmissionReader {
  /** Returns an object, or undefined if it does not exist. The namespace is "" for cluster-scoped kinds. */
  readonly get: <K extends KindName>(kind: K, namespace: string, name: string) => ObjectOf<K> | undefined
  /** Returns the objects of a namespace, or of all if it is omitted, in key order. */
  readonly list: <K extends KindName>(kind: K, namespace?: string) => ReadonlyArray<ObjectOf<K>>
  /** Calls `observer` with the new and the previous state at every later change, as long as the server lives. */
  readonly observe: <K extends KindName>(
    kind: K,
    observer: (object: ObjectOf<K> | undefined, previous: ObjectOf<K> | undefined) => void
  ) => void
}

/** What plugins may use of the server. */
export interface AdmissionContext {
  readonly reader: AdmissionReader
  /**
   * Writes the status of an object as the server itself. The failure is a conflict if the object is not as given any more;
   * then the reader has its new state when `done` is called.
   */
  readonly updateStatus: (object: KubeObject, done: (result: Result.Result<KubeObject, Status>) => void) => void
  /** Returns the time in milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Generates a name: `base` and five random characters. */
  readonly makeName: (base: string) => string
}

/**
 * An admission plugin. All mutating plugins run in chain order, then the object is validated, then all validating
 * plugins run. Plain and synchronous; a refusal is the Status that the client receives. `admissionPluginContract` of
 * `@rollcall/api-server/testing` tests a plugin. Upstream: staging/src/k8s.io/apiserver/pkg/admission/interfaces.go.
 */
export interface AdmissionPlugin {
  readonly name: string
  /**
   * Whether the plugin handles this combination. It is called once for each when the kind is first written, so that a write
   * calls only the plugins that handle it.
   */
  readonly admits: (kind: AnyKind, verb: AdmissionVerb, subresource: AdmissionSubresource | undefined) => boolean
  /**
   * Returns the mutated object, or the given one if nothing changes; never modifies in place. Idempotent: given its own
   * result, it changes nothing.
   */
  readonly mutate?: (
    attributes: AdmissionAttributes,
    context: AdmissionContext
  ) => Result.Result<KubeObject | undefined, Status>
  /** Whether `mutate` is left to the last round where plugins run again: for what takes values that it finds free. */
  readonly mutatesLast?: boolean
  /**
   * Returns what validation cannot see, because it takes other objects or the rights of the user. These errors come before
   * those of the object itself, in the same Status.
   */
  readonly check?: (attributes: AdmissionAttributes, context: AdmissionContext) => FieldErrors
  /** Returns the Status that refuses the write, or undefined to accept it. */
  readonly validate?: (attributes: AdmissionAttributes, context: AdmissionContext) => Status | undefined
  /** Adds metrics of its own; called once, in a server that measures its work. */
  readonly addMetrics?: (metrics: ServerMetrics, context: AdmissionContext) => void
  /**
   * Records in other objects what the write uses, after all plugins have accepted it and before it is stored. It calls
   * `done` once, at once or later, with the Status that refuses the write, or undefined. A dry run records nothing.
   */
  readonly reserve?: (
    attributes: AdmissionAttributes,
    context: AdmissionContext,
    done: (refusal: Status | undefined) => void
  ) => void
}

/** A plugin of the chain. Those of the server itself may ask others: they return steps that wait. */
export interface ChainPlugin
  extends Pick<AdmissionPlugin, "name" | "admits" | "addMetrics" | "check" | "mutatesLast" | "reserve"> {
  /** Whether the plugin has nothing to do now, whatever the write: then it is not called. */
  readonly isIdle?: () => boolean
  readonly mutate?: (
    attributes: AdmissionAttributes,
    context: AdmissionContext,
    reinvocation: Reinvocation
  ) => MaybeSteps<Result.Result<KubeObject | undefined, Status>>
  readonly validate?: (attributes: AdmissionAttributes, context: AdmissionContext) => MaybeSteps<Status | undefined>
}

/** Admission plugins that an application adds: the chain runs them after the server's own, in this order. Optional. */
export class AdmissionPlugins extends Context.Service<AdmissionPlugins, ReadonlyArray<AdmissionPlugin>>()(
  "@rollcall/api-server/AdmissionPlugins"
) {
  static readonly layer = (...plugins: ReadonlyArray<AdmissionPlugin>): Layer.Layer<AdmissionPlugins> =>
    Layer.succeed(AdmissionPlugins, plugins)
}
