import type { KindName, ObjectOf } from "@rollcall/api"
import type { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Cluster } from "./Cluster.ts"
import { Informer, type InformerHandler } from "./Informer.ts"
import type { Indexer } from "./ObjectCache.ts"
import type { Selection } from "./Reflector.ts"

/** What a controller asks of the cache of a kind. */
export interface InformerRequest<K extends KindName> extends Selection {
  /** Look-ups of its own; another controller's of the same name are others. */
  readonly indexes?: Readonly<Record<string, Indexer<ObjectOf<K>>>>
  readonly handlers?: ReadonlyArray<InformerHandler<ObjectOf<K>>>
}

export interface InformersShape {
  /** The informer of a kind. What was asked of it ends with the scope. */
  readonly get: <K extends KindName>(
    kind: K,
    request?: InformerRequest<K>
  ) => Effect.Effect<Informer<K>, never, Cluster | Timers | Scope.Scope>
}

/**
 * Where controllers get their caches from: by default each has its own, through the Cluster at hand.
 * Upstream: client-go/informers/factory.go, SharedInformerFactory.
 */
export const Informers = Context.Reference<InformersShape>("@rollcall/cluster/Informers", {
  defaultValue: () => ({ get: (kind, request = {}) => Informer.make(kind, request) })
})
