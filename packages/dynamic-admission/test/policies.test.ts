import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { awaitSteps } from "@rollcall/time"
import * as Result from "effect/Result"
import { creationOf } from "../src/attributes.ts"
import { mutatingAdmissionPolicy, validatingAdmissionPolicy } from "../src/index.ts"
import { kindsWith } from "../src/objects.ts"
import { configMap, rules, sourceWith, user } from "./source.ts"

const bound = (kind: string, spec: object, binding: object = {}): ReadonlyArray<KubeObject> =>
  [
    { kind, metadata: { name: "p" }, spec: { matchConstraints: { resourceRules: rules }, ...spec } },
    { kind: `${kind}Binding`, metadata: { name: "b" }, spec: { policyName: "p", ...binding } }
  ].map((object) => ({ apiVersion: "admissionregistration.k8s.io/v1", ...object }))

const few = (binding: object) =>
  bound("ValidatingAdmissionPolicy", { validations: [{ expression: "size(object.data) < 2" }] }, binding)
const deny = { validationActions: ["Deny"] }

const refusalOf = (objects: ReadonlyArray<KubeObject>, object: KubeObject) =>
  awaitSteps(validatingAdmissionPolicy(sourceWith(...objects)).validate?.(creationOf(object, user)))

describe("validating policies", () => {
  it("refuse what their expressions deny", async () => {
    const refused = await refusalOf(few(deny), configMap({ a: "1", b: "2" }))
    assert.deepInclude(refused, {
      code: 422,
      message:
        "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: size(object.data) < 2"
    })
    assert.isUndefined(await refusalOf(few(deny), configMap({ a: "1" })))
  })

  it("act only where their binding selects the namespace", async () => {
    const selecting = (tier: string) =>
      few({ ...deny, matchResources: { namespaceSelector: { matchLabels: { tier } } } })
    assert.isUndefined(await refusalOf(selecting("bank"), configMap({ a: "1", b: "2" })))
    assert.isDefined(await refusalOf(selecting("shop"), configMap({ a: "1", b: "2" })))
  })

  it("are idle without a binding", () => {
    assert.isTrue(validatingAdmissionPolicy(sourceWith(...few(deny).slice(0, 1))).isIdle())
    assert.isFalse(validatingAdmissionPolicy(sourceWith(...few(deny))).isIdle())
  })

  it("ask the authorizer as the user", async () => {
    const objects = bound(
      "ValidatingAdmissionPolicy",
      { validations: [{ expression: "authorizer.group('').resource('pods').check('delete').allowed()" }] },
      deny
    )
    const asked: Array<string> = []
    const authorizer = {
      authorize: ({ resource, user, verb }: { user: { user: string }; verb: string; resource: string }) => {
        asked.push(`${user.user} ${verb} ${resource}`)
        return { decision: "Deny", reason: "" }
      }
    }
    const plugin = validatingAdmissionPolicy({ ...sourceWith(...objects), authorizer })
    assert.isDefined(await awaitSteps(plugin.validate?.(creationOf(configMap({}), user))))
    assert.deepStrictEqual(asked, ["alice delete pods"])
  })
})

describe("mutating policies", () => {
  it("change what their bindings select, and ask for a second round", async () => {
    const objects = bound("MutatingAdmissionPolicy", {
      reinvocationPolicy: "Never",
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'by': 'policy'}}}" }
        }
      ]
    })
    const reinvocation = { isReinvoke: false, shouldReinvoke: false, states: new Map() }
    const plugin = mutatingAdmissionPolicy(sourceWith(...objects))
    const changed = await awaitSteps(plugin.mutate?.(creationOf(configMap({ a: "1" }, { x: "y" }), user), reinvocation))
    assert.deepStrictEqual(changed && Result.getOrThrow(changed)?.metadata.labels, { by: "policy", x: "y" })
    assert.isTrue(reinvocation.shouldReinvoke)
  })

  it.each([
    ["IfNeeded", "2"],
    ["Never", "1"]
  ] as const)("see in the second round what they wrote themselves: %s", async (reinvocationPolicy, count) => {
    const expression = "Object{metadata: Object.metadata{labels: {'n': string(size(object.metadata.labels))}}}"
    const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }]
    const plugin = mutatingAdmissionPolicy(
      sourceWith(...bound("MutatingAdmissionPolicy", { reinvocationPolicy, mutations }))
    )
    const reinvocation = { isReinvoke: false, shouldReinvoke: false, states: new Map() }
    const roundOf = async (object: KubeObject) => {
      const changed = await awaitSteps(plugin.mutate?.(creationOf(object, user), reinvocation))
      return (changed && Result.getOrThrow(changed)) as KubeObject
    }
    const once = await roundOf(configMap({}, { x: "y" }))
    reinvocation.isReinvoke = true
    const twice = await roundOf(once)
    assert.deepStrictEqual([once.metadata.labels?.n, twice.metadata.labels?.n], ["1", count])
  })

  it("refuse what they apply of fields that the object has not", async () => {
    const mutations = [
      { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{spec: Object.spec{replicas: 5}}" } }
    ]
    const objects = bound("MutatingAdmissionPolicy", { reinvocationPolicy: "Never", mutations })
    const reinvocation = { isReinvoke: false, shouldReinvoke: false, states: new Map() }
    const plugin = mutatingAdmissionPolicy(sourceWith(...objects))
    const changed = await awaitSteps(plugin.mutate?.(creationOf(configMap({}), user), reinvocation))
    const refusal = changed && Result.isFailure(changed) ? (changed.failure.message ?? "") : ""
    const why =
      "error applying patch: failed to convert patch object to typed object: .spec: field not declared in schema"
    assert.isTrue(refusal.endsWith(`denied request: ${why}`), refusal)
  })

  it("ask for a second round even where nothing changes", async () => {
    const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }]
    const objects = bound("MutatingAdmissionPolicy", { reinvocationPolicy: "Never", mutations })
    const reinvocation = { isReinvoke: false, shouldReinvoke: false, states: new Map() }
    const plugin = mutatingAdmissionPolicy(sourceWith(...objects))
    await awaitSteps(plugin.mutate?.(creationOf(configMap({}), user), reinvocation))
    assert.isTrue(reinvocation.shouldReinvoke)
  })
})

describe("kinds with objects of files", () => {
  it("find them by kind, namespace and name, in order", () => {
    const other = { ...configMap({}), metadata: { name: "b", namespace: "z" } }
    const { cache } = kindsWith([other, configMap({})]).kind("ConfigMap") ?? {}
    const names: Array<string | undefined> = []
    cache?.visit(undefined, ({ metadata }) => names.push(metadata.name))
    assert.deepStrictEqual([names, cache?.size], [["a", "b"], 2])
    assert.strictEqual(cache?.get("z", "b")?.object, other)
    assert.isUndefined(cache?.get("", "b"))
    assert.isUndefined(kindsWith([]).kind("Dial.example.com/v1"))
  })
})
