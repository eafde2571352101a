import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { kubectl } from "../src/index.ts"

const pod = (name: string, spec: unknown) => ({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec })

const answers: Readonly<Record<string, unknown>> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": { kind: "APIGroupList", groups: [] },
  "/api/v1": {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [{ name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get", "list"] }]
  },
  "/api/v1/namespaces/default/pods/odd": pod("odd", { containers: 7 }),
  "/api/v1/namespaces/default/pods/even": pod("even", { containers: [{ name: "c", image: "i" }] })
}

describe("kubectl describe", () => {
  it.effect("describes an object of an odd shape like an unknown kind, and all others as usual", () =>
    Effect.gen(function* () {
      let out = ""
      let errors = ""
      const code = yield* kubectl(
        {
          api: {
            raw: ({ path }) => {
              const body = answers[path]
              const missing = { kind: "Status", status: "Failure", reason: "NotFound", code: 404, message: path }
              return Effect.succeed({
                code: body === undefined ? 404 : 200,
                headers: {},
                body: JSON.stringify(body ?? missing)
              })
            }
          },
          namespace: "default",
          server: "https://127.0.0.1:6443",
          stdout: (text) => {
            out += text
          },
          stderr: (text) => {
            errors += text
          },
          readFiles: () => Effect.succeed(undefined),
          stdin: Effect.succeed("")
        },
        ["describe", "pods", "odd", "even"]
      )
      assert.strictEqual(code, 0)
      assert.match(errors, /^error: unable to describe pod\/odd: /)
      assert.match(out, /Name: +odd\n/)
      assert.match(out, /Image: +i\n/)
    })
  )
})
