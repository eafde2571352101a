import type { KindName } from "@rollcall/api"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Informer } from "../Informer.ts"
import { type InformerRequest, Informers } from "../Informers.ts"

/** The caches of a controller, by kind. */
export class Caches {
  private readonly informers = new Map<KindName, Informer<KindName>>()

  /** Creates the informer of a kind. */
  readonly follow = Effect.fnUntraced({ self: this }, function* <
    K extends KindName
  >(this: Caches, kind: K, request: InformerRequest<K>) {
    const { get } = yield* Informers
    const informer = yield* get(kind, request)
    this.informers.set(kind, informer as unknown as Informer<KindName>)
  })

  /** Returns the informer of a kind. Throws if the controller does not name the kind. */
  readonly of = <K extends KindName>(kind: K): Informer<K> => {
    const informer = this.informers.get(kind)
    if (informer === undefined) throw new Error(`the controller does not name ${kind}`)
    return informer as unknown as Informer<K>
  }

  /** Waits until all of them hold their first list. */
  get synced(): Effect.Effect<void> {
    const all = [...this.informers.values()].map(({ synced }) => synced)
    return Effect.all(all, { concurrency: "unbounded", discard: true })
  }

  /** Returns what `of` does, for a scope: handlers that are added to the informers are removed with the scope. */
  readonly within: Effect.Effect<Caches["of"], never, Scope.Scope> = Effect.map(
    Effect.acquireRelease(
      Effect.sync((): Array<() => void> => []),
      (removals) =>
        Effect.sync(() => {
          for (const remove of removals) remove()
        })
    ),
    (removals) =>
      <K extends KindName>(kind: K): Informer<K> => {
        const informer = this.of(kind)
        return {
          ...informer,
          addHandler: (handler) => {
            const remove = informer.addHandler(handler)
            removals.push(remove)
            return remove
          }
        }
      }
  )
}
