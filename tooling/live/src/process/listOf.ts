import type { KindName, KubeObject } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** A list and its resourceVersion as a number. */
export interface Listed {
  readonly items: ReadonlyArray<KubeObject>
  readonly revision: number
}

/** Lists the objects of a kind in all namespaces. Dies if the server rejects the request. */
export const listOf = (connection: Connection, kind: KindName): Effect.Effect<Listed> =>
  Effect.callback((resume) => {
    const cancel = connection.send({ verb: "list", kind }, (answer) => {
      if (Result.isFailure(answer)) return resume(Effect.die(new Error(`list ${kind}: ${answer.failure.message}`)))
      const { items, metadata } = answer.success as {
        readonly items: ReadonlyArray<KubeObject>
        readonly metadata: { readonly resourceVersion: string }
      }
      resume(Effect.succeed({ items, revision: Number(metadata.resourceVersion) }))
    })
    return Effect.sync(cancel)
  })
