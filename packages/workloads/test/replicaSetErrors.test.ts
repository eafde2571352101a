import { assert, describe, it } from "@effect/vitest"
import { Cluster } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { layerReplicaSets } from "../src/index.ts"
import { errorLines } from "./refusing.ts"
import { replicaSetOf } from "./withControllers.ts"

const errorsWhen = (refused: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const program = Effect.gen(function* () {
    yield* (yield* Cluster).create("ReplicaSet", replicaSetOf(1))
    yield* Effect.sleep("1 millis")
  })
  return [...new Set(errorLines(layerReplicaSets(), refused, program).map(([, { err }]) => err))]
}

describe("ReplicaSets that may not write", () => {
  it("log why a pod was not created", () => {
    assert.deepStrictEqual(errorsWhen(["create Pod"]), [`sync "default/web" failed with create Pod`])
  })

  it("log why the status was not written, if that failed too", () => {
    assert.deepStrictEqual(errorsWhen(["create Pod", "update ReplicaSet/status"]), [
      `sync "default/web" failed with update ReplicaSet/status`
    ])
  })
})
