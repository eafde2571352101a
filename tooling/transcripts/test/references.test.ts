import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { removeReference } from "../src/objects.ts"
import type { Answer, Ask } from "../src/Requests.ts"

/** Returns the paths that are deleted for a reference of a case. */
const deletedBy = (reference: string) =>
  Effect.gen(function* () {
    const paths: Array<string> = []
    const ask: Ask = ({ path }) => {
      paths.push(path)
      return Effect.succeed({ status: 404, headers: {}, valuesOf: () => [], body: Buffer.from("") } satisfies Answer)
    }
    yield* removeReference(ask, reference)
    return paths
  })

describe("what a case leaves behind", () => {
  it.effect.each<readonly [reference: string, path: string]>([
    ["ingressclasses.networking.k8s.io/a", "/apis/networking.k8s.io/v1/ingressclasses/a"],
    ["widgets.example.com/ns/a", "/apis/example.com/v1/namespaces/ns/widgets/a"],
    ["node/a", "/api/v1/nodes/a"],
    ["lease/ns/a", "/apis/coordination.k8s.io/v1/namespaces/ns/leases/a"]
  ])("%s is deleted", ([reference, path]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* deletedBy(reference), [path])
    })
  )
})
