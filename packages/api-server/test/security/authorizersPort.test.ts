import { assert, describe, it } from "@effect/vitest"
import { layerMemory } from "@rollcall/store"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RequestAttributes } from "../../src/core/index.ts"
import { ApiServer, Authorizers } from "../../src/core/index.ts"
import { securityPlan } from "../../src/security/index.ts"
import { person } from "./securedTestServer.ts"

const list = (user: string, ...groups: ReadonlyArray<string>): RequestAttributes => ({
  user: person(user, ...groups),
  verb: "list",
  isResource: true,
  path: "",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "default",
  name: ""
})

const rules = { resourceRules: [], nonResourceRules: [], incomplete: false }
const asked: Array<string> = []
const recordingAuthorizer = Authorizers.layer({
  authorize: ({ user: { user } }) => {
    asked.push(user)
    return { decision: user === "watchman" ? "Allow" : "NoOpinion", reason: "it is day" }
  },
  rulesFor: () => rules
})

describe("authorizers of a world", () => {
  it.effect("are asked after the server's own, when those have no opinion", () =>
    Effect.gen(function* () {
      const { security } = yield* ApiServer
      const decide = (request: RequestAttributes) => security?.authorizer.authorize(request)
      assert.strictEqual(decide(list("admin", "system:masters"))?.decision, "Allow")
      assert.deepStrictEqual(asked, [])
      assert.strictEqual(decide(list("watchman"))?.decision, "Allow")
      const refused = decide(list("thief"))
      assert.strictEqual(refused?.decision, "NoOpinion")
      assert.include(refused?.reason ?? "", "it is day")
      assert.deepStrictEqual(asked, ["watchman", "thief"])
    }).pipe(
      Effect.provide(
        ApiServer.layer({ security: securityPlan({ modes: ["RBAC"] }) }).pipe(
          Layer.provide([recordingAuthorizer, layerMemory()]),
          Layer.provide(layerWallClock())
        )
      )
    )
  )
})
