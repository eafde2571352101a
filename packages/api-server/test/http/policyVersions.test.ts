import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"

const group = "/apis/admissionregistration.k8s.io/v1"
const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?dryRun=All"

describe("a mutating policy", () => {
  it.live("fails where it changes a built-in object in another version than that of the request", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const autoscalers = { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"] }
      const resourceRules = [{ ...autoscalers, apiVersions: ["v1"], operations: ["CREATE"] }]
      const expression = "[JSONPatch{op: 'add', path: '/spec/minReplicas', value: 3}]"
      const mutations = [{ patchType: "JSONPatch", jsonPatch: { expression } }]
      const spec = { matchConstraints: { resourceRules }, reinvocationPolicy: "Never", mutations }
      yield* ask("POST", `${group}/mutatingadmissionpolicies`, { body: { metadata: { name: "p" }, spec } })
      const binding = { metadata: { name: "b" }, spec: { policyName: "p" } }
      yield* ask("POST", `${group}/mutatingadmissionpolicybindings`, { body: binding })
      const scaled = { metadata: { name: "a" }, spec: { maxReplicas: 5, scaleTargetRef: { kind: "X", name: "x" } } }
      const { code, json } = yield* ask("POST", path, { body: scaled })
      const [stored, asked] = ["v1", "v2"].map((version) => `(${version}.HorizontalPodAutoscaler)`)
      assert.deepStrictEqual(
        [code, json.reason, json.message],
        [
          403,
          "Invalid",
          `policy 'p' with binding 'b' denied request: converting ${stored} to ${asked}: unknown conversion`
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
