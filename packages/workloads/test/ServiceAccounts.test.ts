import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { withControllers } from "./withControllers.ts"

const namespace = "team"

describe("ServiceAccounts", () => {
  it("gives a namespace its account and its CA, and gives them again when they are taken away or changed", () =>
    withControllers(({ cluster }) =>
      Effect.gen(function* () {
        yield* cluster.create("Namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } })
        yield* Effect.sleep("1 second")
        const account = yield* cluster.get("ServiceAccount", { namespace, name: "default" })
        const ca = { namespace, name: "kube-root-ca.crt" }
        assert.deepStrictEqual((yield* cluster.get("ConfigMap", ca)).data, { "ca.crt": "PEM" })
        yield* cluster.delete("ServiceAccount", { namespace, name: "default" })
        yield* cluster.patch("ConfigMap", ca, "merge", { data: { "ca.crt": "other", more: "x" } })
        yield* Effect.sleep("1 second")
        const again = yield* cluster.get("ServiceAccount", { namespace, name: "default" })
        assert.notStrictEqual(again.metadata.uid, account.metadata.uid)
        assert.deepStrictEqual((yield* cluster.get("ConfigMap", ca)).data, { "ca.crt": "PEM" })
      })
    ))
})
