import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { Store } from "@rollcall/store"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type EtcdOptions, openEtcdStore } from "../src/EtcdStore.ts"
import { noEtcd, startEtcd, type TestEtcd } from "../src/testing/index.ts"

export interface SharedEtcd {
  readonly etcd: () => TestEtcd
  /** A store with keys of its own in that etcd. */
  readonly layerOwnKeys: (options?: Partial<EtcdOptions>) => Layer.Layer<Store, unknown>
}

let stores = 0

/** Registers tests that share one etcd; they are skipped where there is none. */
export const inEtcd = (label: string, tests: (shared: SharedEtcd) => void): void => {
  if (noEtcd !== undefined) {
    describe.skip(`${label}: ${noEtcd}`, () => it("is not tested", () => {}))
    return
  }
  describe(label, () => {
    const scope = Scope.makeUnsafe()
    let running: TestEtcd | undefined
    const etcd = (): TestEtcd => {
      if (running === undefined) throw new Error("etcd is not started yet")
      return running
    }
    beforeAll(async () => {
      running = await Effect.runPromise(Scope.provide(startEtcd(), scope))
    })
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    tests({
      etcd,
      layerOwnKeys: (options) =>
        Layer.effect(
          Store,
          Effect.suspend(() =>
            openEtcdStore({
              endpoints: [etcd().url],
              prefix: `/test/${++stores}`,
              compactionIntervalMs: 0,
              ...options
            })
          )
        ).pipe(Layer.provide(layerWallClock()))
    })
  })
}
