import { assert, it } from "vitest"
import { finalDelete } from "../../src/status/finalDelete.ts"

it("the final delete names the pod's UID and has a grace period of 0", () => {
  const metadata = { name: "p", namespace: "ns", uid: "u1" }
  assert.deepStrictEqual(finalDelete({ apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] } }), {
    verb: "delete",
    kind: "Pod",
    namespace: "ns",
    name: "p",
    options: { gracePeriodSeconds: 0, preconditions: { uid: "u1" } }
  })
})
