import { assert, describe, it } from "@effect/vitest"
import { makeComponent } from "@rollcall/control-plane"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ComponentProbes } from "../src/apiserver/ComponentProbes.ts"

describe("the health of components in the server's process", () => {
  it.effect("is that of a component that answers while it runs, and else of one that does not listen", () =>
    Effect.gen(function* () {
      const { add, probe } = yield* ComponentProbes
      const probed = (name: "controller-manager" | "scheduler") => Effect.promise(() => probe(name))
      const manager = yield* makeComponent("kube-controller-manager", Layer.empty)
      add([manager, yield* makeComponent("kube-scheduler", Layer.empty)])
      yield* manager.start
      assert.deepStrictEqual(yield* probed("controller-manager"), { isHealthy: true, message: "ok" })
      assert.deepStrictEqual(yield* probed("scheduler"), {
        isHealthy: false,
        message: 'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: connect: connection refused'
      })
      yield* manager.stop
      assert.isFalse((yield* probed("controller-manager")).isHealthy)
    }).pipe(Effect.provide(ComponentProbes.layer))
  )
})
