import type { KubeObject } from "@rollcall/api"
import type { Subresource } from "@rollcall/cluster"
import type { Channel } from "../watch/Channel.ts"
import type { KindCache } from "../watch/KindCache.ts"
import type { Expiry } from "./Expiry.ts"
import type { KindDefinition, ViewOf } from "./KindDefinition.ts"

/** Whose objects a view shows, and how. */
export interface Base {
  readonly state: KindState
  readonly view: ViewOf
}

/** A kind at run time: its entry in the table, its objects, its watches. */
export interface KindState {
  readonly definition: KindDefinition
  readonly cache: KindCache
  readonly channel: Channel
  readonly expiry: Expiry | undefined
  /** Set on views: whose objects these are. */
  readonly base?: Base
}

/** An object and where it belongs. */
export interface Placed {
  readonly state: KindState
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject
}

/** Which object a request is about. */
export interface Target {
  readonly state: KindState
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly subresource: Subresource | undefined
  readonly dryRun: boolean
  /** The field manager that writes; undefined: the write changes no ownership. */
  readonly manager?: string
}
