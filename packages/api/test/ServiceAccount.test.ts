import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { type Pod, withServiceAccount } from "../src/index.ts"

const podOf = (spec: Partial<Pod["spec"]>, annotations = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", annotations },
  spec: { containers: [], ...spec }
})

const only = (present: string) => (name: string) => name === present
const named = (pod: Pod, present: string) => withServiceAccount(pod, "x", only(present))
const accountOf = (result: Result.Result<Pod, string>) => Result.getOrThrow(result).spec.serviceAccountName

describe("the service account of a new pod", () => {
  it("is the one that it names, by the new field or the old, else the default", () => {
    assert.strictEqual(accountOf(named(podOf({ serviceAccountName: "a" }), "a")), "a")
    assert.strictEqual(accountOf(named(podOf({ serviceAccount: "a" }), "a")), "a")
    assert.strictEqual(accountOf(named(podOf({}), "default")), "default")
  })

  it("must exist", () => {
    assert.deepStrictEqual(
      named(podOf({}), "a"),
      Result.fail('error looking up service account x/default: serviceaccount "default" not found')
    )
  })

  it("is none for a mirror pod", () => {
    const annotations = { "kubernetes.io/config.mirror": "h" }
    assert.strictEqual(accountOf(named(podOf({}, annotations), "a")), undefined)
    assert.isTrue(Result.isFailure(named(podOf({ serviceAccountName: "a" }, annotations), "a")))
  })

  it("changes nothing when it is set already", () => {
    const pod = podOf({ serviceAccountName: "a", serviceAccount: "a" })
    assert.strictEqual(Result.getOrThrow(named(pod, "a")), pod)
  })
})
