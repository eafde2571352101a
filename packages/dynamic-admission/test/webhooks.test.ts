import { assert, describe, it } from "@effect/vitest"
import { awaitSteps } from "@rollcall/time"
import * as Result from "effect/Result"
import { creationOf } from "../src/attributes.ts"
import { type WebhookCaller, webhookPlugins } from "../src/index.ts"
import { configMap, rules, sourceWith, user } from "./source.ts"

interface Review {
  readonly request: {
    readonly uid: string
    readonly operation: string
    readonly userInfo: { readonly username: string }
  }
}

/** A webhook that answers so, or fails. */
const answering =
  (answer: (review: Review) => object | string): WebhookCaller["call"] =>
  (_config, body, _timeoutSeconds, read, done) => {
    const review = body as Review
    const given = answer(review)
    if (typeof given === "string") return done(Result.fail({ message: given, code: 503, isUnsent: false }))
    const response = { uid: review.request.uid, ...given }
    return done(Result.succeed(read({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response })))
  }

const pluginsWith = (kind: "Mutating" | "Validating", call: WebhookCaller["call"], more: object = {}) => {
  const webhook = {
    name: "hook.example.com",
    clientConfig: { url: "https://hook.example.com" },
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    failurePolicy: "Fail",
    rules,
    ...more
  }
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: "c" },
    webhooks: [webhook]
  }
  const [mutating, validating] = webhookPlugins(sourceWith(configuration), async () => ({ call }))
  return { mutating, validating }
}

const creation = creationOf(configMap({ a: "1" }), user)

describe("validating webhooks", () => {
  it("refuse with their message, and see the request", async () => {
    const seen: Array<string> = []
    const { validating } = pluginsWith(
      "Validating",
      answering(({ request }) => {
        seen.push(`${request.userInfo.username} ${request.operation}`)
        return { allowed: false, status: { message: "not today" } }
      })
    )
    const refusal = await awaitSteps(validating?.validate?.(creation))
    assert.strictEqual(refusal?.message, 'admission webhook "hook.example.com" denied the request: not today')
    assert.deepStrictEqual(seen, ["alice CREATE"])
  })

  it("refuse if they cannot be called, unless their failures are ignored", async () => {
    const failing = (failurePolicy: string) =>
      pluginsWith(
        "Validating",
        answering(() => "no route"),
        { failurePolicy }
      ).validating
    const refusal = await awaitSteps(failing("Fail")?.validate?.(creation))
    assert.include(refusal?.message, 'failed calling webhook "hook.example.com": failed to call webhook: no route')
    assert.isUndefined(await awaitSteps(failing("Ignore")?.validate?.(creation)))
  })
})

describe("an answer that is no AdmissionReview of the version of the request", () => {
  const unknown =
    'is registered for version "admission.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"'
  const answers: ReadonlyArray<readonly [apiVersion: string, kind: string, why: string]> = [
    [
      "admission.k8s.io/v1beta1",
      "AdmissionReview",
      "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion"
    ],
    ["admission.k8s.io/v1", "Foo", `failed to call webhook: no kind "Foo" ${unknown}`],
    [
      "",
      "",
      "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind="
    ]
  ]
  for (const [apiVersion, kind, why] of answers) {
    it(`refuses the request: ${kind}.${apiVersion}`, async () => {
      const call: WebhookCaller["call"] = (_config, body, _timeoutSeconds, read, done) => {
        const response = { uid: (body as Review).request.uid, allowed: true }
        done(Result.succeed(read({ apiVersion, kind, response })))
      }
      const refusal = await awaitSteps(pluginsWith("Validating", call).validating?.validate?.(creation))
      assert.include(refusal?.message, why)
    })
  }
})

describe("mutating webhooks", () => {
  it("change the object by a JSON patch", async () => {
    const operations = [{ op: "add", path: "/data/b", value: "2" }]
    const { mutating } = pluginsWith(
      "Mutating",
      answering(() => ({ allowed: true, patchType: "JSONPatch", patch: btoa(JSON.stringify(operations)) }))
    )
    const reinvocation = { isReinvoke: false, shouldReinvoke: false, states: new Map() }
    const changed = await awaitSteps(mutating?.mutate?.(creation, reinvocation))
    assert.deepStrictEqual<unknown>(changed && Result.getOrThrow(changed), configMap({ a: "1", b: "2" }))
  })

  const badPatches: ReadonlyArray<readonly [patch: string, why: string]> = [
    ['[{"op":', "unexpected end of JSON input"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["x", "invalid character 'x' looking for beginning of value"],
    ["{}", "json: cannot unmarshal object into Go value of type jsonpatch.Patch"],
    ['"a"', "json: cannot unmarshal string into Go value of type jsonpatch.Patch"],
    ["true", "json: cannot unmarshal bool into Go value of type jsonpatch.Patch"]
  ]
  for (const [patch, why] of badPatches) {
    it(`fail with Go's error for the patch ${JSON.stringify(patch)}`, async () => {
      const answer = { allowed: true, patchType: "JSONPatch", patch: btoa(patch) }
      const { mutating } = pluginsWith(
        "Mutating",
        answering(() => answer)
      )
      const reinvocation = { isReinvoke: false, shouldReinvoke: false, states: new Map() }
      const changed = await awaitSteps(mutating?.mutate?.(creation, reinvocation))
      const message = changed !== undefined && Result.isFailure(changed) ? changed.failure.message : ""
      assert.include(message, why)
    })
  }
})
