import type { Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { PodsByName } from "../src/world/PodsByName.ts"

const pod = (namespace: string, name: string, uid: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name, uid },
  spec: { containers: [] }
})

describe("pods by name", () => {
  const listed = () => {
    const pods = new PodsByName()
    for (const one of [pod("a", "x", "1"), pod("b", "x", "2"), pod("a", "y", "3")]) pods.addListed(one)
    return pods
  }
  const uids = (pods: PodsByName) => Array.from(pods.all(), ({ metadata }) => metadata.uid)

  it("has those of the first list, whatever is done first", () => {
    assert.strictEqual(listed().get("b", "x")?.metadata.uid, "2")
    assert.deepStrictEqual(uids(listed()), ["1", "3", "2"])
    const changed = listed()
    changed.set("a", "x", pod("a", "x", "4"))
    assert.deepStrictEqual(uids(changed), ["4", "3", "2"])
    const fewer = listed()
    fewer.delete("a", "x")
    assert.deepStrictEqual(uids(fewer), ["3", "2"])
  })
})
