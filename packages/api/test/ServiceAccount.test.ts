import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { type Pod, withServiceAccount } from "../src/index.ts"

const podOf = (spec: Partial<Pod["spec"]>, annotations = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", annotations },
  spec: { containers: [], ...spec }
})

const existsOnly = (present: string) => (name: string) => name === present
const withServiceAccountX = (pod: Pod, present: string) => withServiceAccount(pod, "x", existsOnly(present))
const accountOf = (result: Result.Result<Pod, string>) => Result.getOrThrow(result).spec.serviceAccountName

describe("the service account of a new pod", () => {
  it("is the one that it names, by the new field or the old, else the default", () => {
    assert.strictEqual(accountOf(withServiceAccountX(podOf({ serviceAccountName: "a" }), "a")), "a")
    assert.strictEqual(accountOf(withServiceAccountX(podOf({ serviceAccount: "a" }), "a")), "a")
    assert.strictEqual(accountOf(withServiceAccountX(podOf({}), "default")), "default")
  })

  it("must exist", () => {
    assert.deepStrictEqual(
      withServiceAccountX(podOf({}), "a"),
      Result.fail('error looking up service account x/default: serviceaccount "default" not found')
    )
  })

  it("is asked for by a name that can be part of a path", () => {
    for (const [name, faults] of [
      ["/a", "may not contain '/'"],
      ["..", "may not be '..'"],
      ["%/", "may not contain '/' may not contain '%'"]
    ] as const) {
      const why = `error looking up service account x/${name}: invalid resource name "${name}": [${faults}]`
      assert.deepStrictEqual(withServiceAccountX(podOf({ serviceAccountName: name }), "a"), Result.fail(why))
    }
  })

  it("is none for a mirror pod", () => {
    const annotations = { "kubernetes.io/config.mirror": "h" }
    assert.strictEqual(accountOf(withServiceAccountX(podOf({}, annotations), "a")), undefined)
    assert.isTrue(Result.isFailure(withServiceAccountX(podOf({ serviceAccountName: "a" }, annotations), "a")))
  })

  it("changes nothing when it is set already", () => {
    const pod = podOf({ serviceAccountName: "a", serviceAccount: "a" })
    assert.strictEqual(Result.getOrThrow(withServiceAccountX(pod, "a")), pod)
  })
})
