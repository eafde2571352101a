import { assert, describe, it } from "@effect/vitest"
import type { Node, Taint } from "@rollcall/api"
import { ApiError, type ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { NodePatches } from "../src/NodePatches.ts"

const taint = (key: string): Taint => ({ key, effect: "NoSchedule" })

const nodeAt = (revision: number, taints: ReadonlyArray<Taint>): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1", resourceVersion: `${revision}` },
  spec: { taints }
})

/** A server whose cache shows a write only to a reader that asks for it. */
const makeLaggingServer = () => {
  const versions = [nodeAt(1, [])]
  const asked: Array<string | undefined> = []
  let conflicts = 0
  const newest = () => versions.at(-1) as Node
  const get = (_kind: "Node", _key: unknown, options?: { readonly resourceVersion?: string }) =>
    Effect.suspend(() => {
      asked.push(options?.resourceVersion)
      const found = options?.resourceVersion === "0" ? versions[0] : newest()
      return Effect.as(Effect.yieldNow, found as Node)
    })
  const patch = (_kind: "Node", _key: unknown, _type: string, body: Pick<Node, "metadata" | "spec">) =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.suspend((): Effect.Effect<Node, ApiError> => {
        if (body.metadata.resourceVersion !== newest().metadata.resourceVersion) {
          conflicts++
          return Effect.fail(new ApiError({ status: { code: 409, reason: "Conflict", message: "modified" } }))
        }
        versions.push(nodeAt(versions.length + 1, body.spec?.taints ?? []))
        return Effect.succeed(newest())
      })
    )
  const cluster = { get, patch } as unknown as ClusterShape
  return { cluster, asked, newest, conflicts: () => conflicts }
}

describe("patches of one node", () => {
  it.effect("wait for each other, and read what the one before has written", () =>
    Effect.gen(function* () {
      const { asked, cluster, conflicts, newest } = makeLaggingServer()
      let known: Node | undefined
      const patches = new NodePatches(cluster, () => 0, {
        newest: () => known,
        onWrite: (node) => {
          known = node
        }
      })
      const node = nodeAt(1, [])
      const keys = ["a", "b", "c"]
      yield* Effect.all(
        keys.map((key) => patches.add(node, [taint(key)])),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        newest().spec?.taints?.map(({ key }) => key),
        keys
      )
      assert.strictEqual(conflicts(), 0)
      assert.deepStrictEqual(asked, ["0", "2", "3"])
    })
  )
})
