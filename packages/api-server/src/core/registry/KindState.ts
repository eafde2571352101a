import type { KubeObject } from "@rollcall/api"
import type { Subresource } from "@rollcall/cluster"
import type { Channel } from "../watch/Channel.ts"
import type { KindCache } from "../watch/KindCache.ts"
import type { Expiry } from "./Expiry.ts"
import type { KindDefinition, ViewOf } from "./KindDefinition.ts"

/** The kind that a view shows, and its conversion. */
export interface Base {
  readonly state: KindState
  readonly view: ViewOf
}

/** A kind at run time: its definition, its objects, its watches. */
export interface KindState {
  readonly definition: KindDefinition
  readonly cache: KindCache
  readonly channel: Channel
  readonly expiry: Expiry | undefined
  /** For views: the kind of the objects. */
  readonly base?: Base
}

/** An object and its location. */
export interface Placed {
  readonly state: KindState
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject
}

/** The object of a request. */
export interface Target {
  readonly state: KindState
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly subresource: Subresource | undefined
  readonly dryRun: boolean
  /** The field manager of the write; undefined: the write does not change ownership. */
  readonly manager?: string
}
