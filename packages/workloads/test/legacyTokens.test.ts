import { assert, describe, it } from "@effect/vitest"
import type { Secret, ServiceAccount } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerLegacyTokenCleaner } from "../src/index.ts"
import { judgeToken, readDay, type TokenContext, trackedLongEnough } from "../src/serviceaccount/legacyTokens.ts"

const DAY = 86_400_000
const NOW = Date.UTC(2026, 0, 31)
const LAST_USED = "kubernetes.io/legacy-token-last-used"
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since"

const account: ServiceAccount = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "robot", namespace: "default" },
  secrets: [{ name: "robot-token" }]
}
const tokenOf = (labels: Readonly<Record<string, string>>, creationTimestamp = "2026-01-01T00:00:00Z"): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "robot-token",
    namespace: "default",
    creationTimestamp,
    labels,
    annotations: { "kubernetes.io/service-account.name": "robot" }
  },
  type: "kubernetes.io/service-account-token"
})

describe("judgeToken, with a clean-up period of ten days", () => {
  const judge = (secret: Secret, given: Partial<TokenContext> = {}) =>
    judgeToken(secret, { now: NOW, cleanUpPeriodMs: 10 * DAY, account, isMounted: () => false, ...given }).do

  it("marks a token that was not used, and deletes one that has been marked for long", () => {
    assert.strictEqual(judge(tokenOf({})), "mark")
    assert.strictEqual(judge(tokenOf({ [LAST_USED]: "2026-01-20" })), "mark")
    assert.strictEqual(judge(tokenOf({ [INVALID_SINCE]: "2026-01-32" })), "mark", "a day that is none is set anew")
    assert.strictEqual(judge(tokenOf({ [INVALID_SINCE]: "2026-01-21" })), "keep")
    assert.strictEqual(judge(tokenOf({ [INVALID_SINCE]: "2026-01-20" })), "delete")
  })

  it("keeps a token that is new, was used, is mounted, or that no account lists", () => {
    assert.strictEqual(judge(tokenOf({}, "2026-01-21T00:00:00Z")), "keep")
    assert.strictEqual(judge(tokenOf({ [LAST_USED]: "2026-01-21" })), "keep")
    assert.strictEqual(judge(tokenOf({}), { isMounted: () => true }), "keep")
    assert.strictEqual(judge(tokenOf({}), { account: undefined }), "keep")
    assert.strictEqual(judge(tokenOf({}), { account: { ...account, secrets: [{ name: "other" }] } }), "keep")
    assert.strictEqual(judge({ ...tokenOf({}), type: "Opaque" }), "keep")
    assert.strictEqual(judge(tokenOf({ [LAST_USED]: "lately" })), "report")
  })

  it("waits until uses were tracked for the period, from the end of the first day", () => {
    const since = readDay("2026-01-01") ?? 0
    assert.isFalse(trackedLongEnough(since, since + 11 * DAY - 1, 10 * DAY))
    assert.isTrue(trackedLongEnough(since, since + 11 * DAY, 10 * DAY))
  })
})

describe("legacy-serviceaccount-token-cleaner-controller", () => {
  it("marks the unused token of an account after the period, and deletes it after another", () =>
    runWithApiServer(
      (admin) =>
        Effect.gen(function* () {
          const cluster = fromConnection(admin)
          const data = { since: "2026-01-01" }
          const name = "kube-apiserver-legacy-service-account-token-tracking"
          const tracking = {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name, namespace: "kube-system" },
            data
          } as const
          yield* cluster.create("ConfigMap", tracking)
          yield* cluster.create("ServiceAccount", account)
          yield* cluster.create("Secret", tokenOf({}))
          yield* cluster.create("Secret", { ...tokenOf({}), metadata: { ...tokenOf({}).metadata, name: "by-hand" } })
          const names = Effect.map(cluster.list("Secret"), ({ items }) => items.map(({ metadata }) => metadata.name))
          const marked = Effect.map(
            cluster.get("Secret", { namespace: "default", name: "robot-token" }),
            ({ metadata }) => metadata.labels?.[INVALID_SINCE]
          )
          yield* Effect.sleep("2 hours")
          assert.isUndefined(yield* marked)
          yield* Effect.sleep("12 days")
          assert.strictEqual(yield* marked, "2026-01-12")
          yield* Effect.sleep("12 days")
          assert.deepStrictEqual(yield* names, ["by-hand"])
        }).pipe(
          Effect.provide(
            Layer.provide(layerLegacyTokenCleaner({ cleanUpPeriodMs: 10 * DAY }), Cluster.layerConnection(admin))
          )
        ),
      { seed: "legacy tokens" }
    ))
})
