import type { KubeObject } from "@rollcall/api"
import type { Subresource } from "@rollcall/cluster"
import type { Channel } from "../watch/Channel.ts"
import type { KindCache } from "../watch/KindCache.ts"
import type { Converted } from "./Converted.ts"
import type { Expiry } from "./Expiry.ts"
import type { KindDefinition, ViewOf } from "./KindDefinition.ts"

/** The kind whose objects a view shows, and the conversion. */
export interface ViewBase {
  readonly state: KindState
  readonly view: ViewOf
  /** The converted objects, if the conversion takes a call. */
  readonly converted: Converted | undefined
}

/** A kind at run time: its definition, its objects (`cache`) and its watches (`channel`). */
export interface KindState {
  readonly definition: KindDefinition
  readonly cache: KindCache
  readonly channel: Channel
  /** Undefined if objects of the kind do not expire. */
  readonly expiry: Expiry | undefined
  /** The kind whose objects it shows, if it is a view. */
  readonly base?: ViewBase
}

/** An object and its location. */
export interface Placed {
  readonly state: KindState
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject
}

/** The object that a request is about, which need not exist. */
export interface Target {
  readonly state: KindState
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  /** Undefined for the main resource. */
  readonly subresource: Subresource | undefined
  readonly dryRun: boolean
  /** The field manager of the write. If absent, the write does not change field ownership. */
  readonly manager?: string
}
