import { assert, describe, it } from "@effect/vitest"
import type { Secret, ServiceAccount } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerAccountTokens } from "../src/index.ts"

const NAMESPACE = "default"

const accountOf = (name: string, secrets: ReadonlyArray<string> = []): ServiceAccount => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name, namespace: NAMESPACE },
  secrets: secrets.map((secret) => ({ name: secret }))
})

const tokenOf = (name: string, account: string, data: Readonly<Record<string, string>> = {}): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: NAMESPACE, annotations: { "kubernetes.io/service-account.name": account } },
  type: "kubernetes.io/service-account-token",
  data
})

const text = (base64: string | undefined): string => Buffer.from(base64 ?? "", "base64").toString()

describe("the controller of tokens in Secrets", () => {
  it("fills a Secret, keeps what it has, deletes those without an account, and removes references to deleted ones", () =>
    runWithApiServer(
      (admin) => {
        const cluster = fromConnection(admin)
        const names = Effect.map(cluster.list("Secret"), ({ items }) => items.map(({ metadata }) => metadata.name))
        const config = {
          rootCA: "CA",
          sign: (account: ServiceAccount, secret: Secret) => `${account.metadata.name} ${secret.metadata.name}`
        }
        return Effect.gen(function* () {
          const { metadata } = yield* cluster.create("ServiceAccount", accountOf("robot", ["kept", "own"]))
          yield* cluster.create("Secret", tokenOf("own", "robot"))
          yield* cluster.create("Secret", tokenOf("kept", "robot", { token: "eA==", "ca.crt": "eQ==" }))
          yield* cluster.create("Secret", tokenOf("strange", "nobody"))
          yield* cluster.create("Secret", { ...tokenOf("other", "nobody"), type: "Opaque" })
          yield* Effect.sleep("1 second")
          const own = yield* cluster.get("Secret", { name: "own", namespace: NAMESPACE })
          assert.deepStrictEqual(
            Object.fromEntries(Object.entries(own.data ?? {}).map(([key, value]) => [key, text(value)])),
            { "ca.crt": "CA", namespace: NAMESPACE, token: "robot own" }
          )
          assert.strictEqual(own.metadata.annotations?.["kubernetes.io/service-account.uid"], metadata.uid)
          const kept = yield* cluster.get("Secret", { name: "kept", namespace: NAMESPACE })
          assert.strictEqual(text(kept.data?.token), "x")
          assert.strictEqual(text(kept.data?.["ca.crt"]), "CA")
          assert.deepStrictEqual(yield* names, ["kept", "other", "own"])
          yield* cluster.delete("Secret", { name: "kept", namespace: NAMESPACE })
          yield* Effect.sleep("1 second")
          const account = yield* cluster.get("ServiceAccount", { name: "robot", namespace: NAMESPACE })
          assert.deepStrictEqual(account.secrets, [{ name: "own" }])
          yield* cluster.delete("ServiceAccount", { name: "robot", namespace: NAMESPACE })
          yield* cluster.create("ServiceAccount", accountOf("robot"))
          yield* Effect.sleep("1 second")
          assert.deepStrictEqual(yield* names, ["other"])
        }).pipe(Effect.provide(layerAccountTokens(config).pipe(Layer.provide(Layer.succeed(Cluster, cluster)))))
      },
      { seed: "tokens" }
    ))
})
