import type { KindName, KubeObject, Resource, Status, WebhookClientConfig } from "@rollcall/api"
import type { Fields, ScalePaths } from "@rollcall/api/values"
import type { MessageType } from "@rollcall/api/wire"
import type { AnyKind } from "@rollcall/cluster"
import type { VersionConversion } from "@rollcall/field-ownership"
import type { MaybeSteps, MetricSet } from "@rollcall/time"
import type * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionSubresource, AdmissionVerb, Reinvocation, UserInfo } from "./attributes.ts"

/** A served kind, as policies and webhooks use it. The API server has one for each version of a custom resource. */
export interface AdmissionKind {
  /** The kind's name in requests: its kind, or `Kind.group/version` of a kind that is not modelled. */
  readonly key: AnyKind
  readonly resource: Resource
  readonly apiVersion: string
  /** Whether its objects are served only through views of it. */
  readonly hidden?: boolean
  /** The wire type of its objects, where the API's tables have none: custom resources. */
  readonly message?: MessageType
  /** The scale paths of its objects, where they differ from those of built-in kinds. */
  readonly scale?: ScalePaths
  /** The kind whose objects it serves in its own version, and the conversion; `called` in its place if that takes a call. */
  readonly view?: {
    readonly of: AnyKind
    toStorage(object: KubeObject): KubeObject
    fromStorage(object: KubeObject): KubeObject
    readonly called?: Pick<VersionConversion, "toVersion"> | undefined
  }
  /** Returns the object with defaults for fields that the caller omitted. */
  defaults(object: KubeObject): KubeObject
}

/** The objects of a kind that are stored now. */
export interface ObjectCache {
  readonly size: number
  /** The namespace is "" for cluster-scoped kinds. */
  get(namespace: string, name: string): { readonly object: KubeObject } | undefined
  /** Visits the objects of a namespace in key order, or all objects if the namespace is undefined. */
  visit(namespace: string | undefined, visitor: (object: KubeObject) => void): void
  /** Calls back after every change. */
  observe(observer: () => void): void
}

export interface AdmissionKindState {
  readonly definition: AdmissionKind
  readonly cache: ObjectCache
}

/** The kinds of which admission reads objects by itself. */
export type ConfigurationKind = Extract<
  KindName,
  | "Namespace"
  | "MutatingAdmissionPolicy"
  | "MutatingAdmissionPolicyBinding"
  | "MutatingWebhookConfiguration"
  | "ValidatingAdmissionPolicy"
  | "ValidatingAdmissionPolicyBinding"
  | "ValidatingWebhookConfiguration"
>

/** The served kinds, and their objects. */
export interface AdmissionKinds {
  readonly kinds: Readonly<Record<ConfigurationKind, Pick<AdmissionKindState, "cache">>>
  /** Returns a kind by its name in requests. */
  kind(name: string): AdmissionKindState | undefined
  states(): Iterable<AdmissionKindState>
}

/** What an authorizer is asked, by `authorizer` of expressions. */
export interface AuthorizationRequest {
  readonly user: UserInfo
  readonly verb: string
  readonly isResource: boolean
  readonly path: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

export interface AdmissionAuthorizer {
  readonly authorize: (request: AuthorizationRequest) => {
    /** `Allow` allows. */
    readonly decision: string
    readonly reason: string
    readonly evaluationError?: string
  }
}

/** Why a call failed: the text for the client, and the code that metrics show. */
export interface CallFault {
  readonly message: string
  readonly code: number
  /** Whether nothing was sent: the configuration makes no client. */
  readonly isUnsent: boolean
}

/** Calls webhooks. */
export interface WebhookCaller {
  /** Sends a body to a webhook. Calls `done` once, with what `read` makes of the object that the webhook answers. */
  call<A>(
    config: WebhookClientConfig,
    body: object,
    timeoutSeconds: number,
    read: (answer: Fields) => A,
    done: (result: Result.Result<A, CallFault>) => void
  ): void
}

/** What policies and webhooks use of a server. */
export interface AdmissionSource {
  readonly registry: AdmissionKinds
  readonly timers: { readonly now: () => number }
  /** Undefined where everything is allowed. */
  readonly authorizer: AdmissionAuthorizer | undefined
  /** Makes a unique id. */
  readonly makeId: () => string
  /** Undefined in a server that measures nothing. */
  readonly metrics: { readonly set: MetricSet } | undefined
}

/**
 * An admission plugin. Mutating plugins return the changed object, or the given one; a refusal is the Status that the client
 * receives. The steps of a plugin wait: for modules that load with the first policy or webhook, and for webhooks.
 */
export interface DynamicPlugin {
  readonly name: string
  /** Whether the plugin handles this combination. */
  readonly admits: (kind: AnyKind, verb: AdmissionVerb, subresource: AdmissionSubresource | undefined) => boolean
  /** Whether nothing is configured: then the plugin need not be called. */
  readonly isIdle: () => boolean
  readonly mutate?: (
    attributes: AdmissionAttributes,
    reinvocation: Reinvocation
  ) => MaybeSteps<Result.Result<KubeObject | undefined, Status>>
  readonly validate?: (attributes: AdmissionAttributes) => MaybeSteps<Status | undefined>
}
