import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { kindOf } from "../src/index.ts"
import { scaleOf, withScale } from "../src/scale.ts"

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", uid: "u", resourceVersion: "7" },
  spec: { replicas: 2, selector: { matchLabels: { app: "web" } } },
  status: { replicas: 1 }
}
const { resource } = kindOf("Deployment")
const dial = {
  apiVersion: "example.com/v1",
  kind: "Dial",
  metadata: { name: "a" },
  spec: { size: 3 },
  status: { size: 1, chosen: "a=b" }
}
const paths = {
  specReplicas: ["spec", "size"],
  statusReplicas: ["status", "size"],
  labelSelector: ["status", "chosen"]
}

describe("the Scale of an object", () => {
  it("has its replicas and its selector", () => {
    assert.deepInclude(scaleOf(deployment), {
      kind: "Scale",
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "app=web" }
    })
    assert.deepInclude(scaleOf(dial, paths), { spec: { replicas: 3 }, status: { replicas: 1, selector: "a=b" } })
  })

  it("changes the replicas when it is written, with its revision as precondition", () => {
    const scale = { ...scaleOf(deployment), spec: { replicas: 5 } }
    const changed = Result.getOrThrow(withScale({ resource }, deployment, scale))
    assert.deepStrictEqual<unknown>(changed, { ...deployment, spec: { ...deployment.spec, replicas: 5 } })
    const custom = Result.getOrThrow(withScale({ resource, scale: paths }, dial, { spec: { replicas: 4 } }))
    assert.deepStrictEqual<unknown>(custom, { ...dial, spec: { size: 4 } })
  })

  it("is refused without a whole number of replicas, and for an earlier object of the name", () => {
    const codeOf = (scale: object) => {
      const result = withScale({ resource }, deployment, scale)
      return Result.isFailure(result) ? result.failure.code : undefined
    }
    const { metadata } = scaleOf(deployment)
    assert.deepStrictEqual(
      [
        codeOf({ metadata, spec: { replicas: 1.5 } }),
        codeOf({ metadata, spec: { replicas: -1 } }),
        codeOf({ metadata: { ...metadata, uid: "other" }, spec: { replicas: 1 } })
      ],
      [400, 422, 409]
    )
  })
})
