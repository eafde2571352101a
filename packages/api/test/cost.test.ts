import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { invalid, kinds, type ObjectMeta, parseLabelSelector, parseQuantity } from "../src/index.ts"
import { parseInt64 } from "../src/parseInt64.ts"
import { applyMergePatch, applyStrategicPatch } from "../src/patch/index.ts"
import { ErrorList, maxErrors } from "../src/validation/ErrorList.ts"
import { validateEnv } from "../src/validation/env.ts"
import { isZero } from "../src/validation/intOrPercent.ts"
import { decodeJson, wireTypeOf } from "../src/wire/index.ts"

/** Each of these takes minutes where a step of the work asks about all of the body once more. */
const timeout = 20_000

const makeArray = <A>(size: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: size }, (_, at) => make(at))
const COUNT = 40_000
const configMap = (metadata: ObjectMeta, data: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", namespace: "n", ...metadata },
  data
})
const owners = (fields: object = {}) =>
  makeArray(COUNT, (at) => ({ apiVersion: "v1", kind: "Pod", name: `o${at}`, uid: `u${at}`, ...fields }))

describe("the work is proportional to the size of a request", () => {
  it("in strategic patches of lists", { timeout }, () => {
    const document = configMap({ ownerReferences: owners(), finalizers: makeArray(COUNT, (at) => `a/f${at}`) })
    const patched = Result.getOrThrow(
      applyStrategicPatch("ConfigMap", document, {
        metadata: {
          ownerReferences: makeArray(COUNT, (at) => ({ $patch: "delete", uid: `u${at * 2}` })),
          "$deleteFromPrimitiveList/finalizers": makeArray(COUNT, (at) => `a/f${at * 2}`)
        }
      })
    ) as unknown as typeof document
    assert.strictEqual(patched.metadata.ownerReferences?.length, COUNT / 2)
    assert.strictEqual(patched.metadata.finalizers?.length, COUNT / 2)
    const merged = Result.getOrThrow(
      applyStrategicPatch("ConfigMap", document, {
        metadata: { ownerReferences: makeArray(COUNT, (at) => ({ uid: `u${at * 2}`, name: "changed" })) }
      })
    ) as unknown as typeof document
    assert.strictEqual(merged.metadata.ownerReferences?.length, COUNT + COUNT / 2)
    assert.strictEqual(merged.metadata.ownerReferences?.filter(({ name }) => name === "changed").length, COUNT)
  })

  it("in merge patches that are deep and change only the end", () => {
    const nested = (last: unknown) => makeArray(450, () => 0).reduce<unknown>((inner) => ({ a: inner }), last)
    let looks = 0
    const watched = { data: "x" }
    Object.defineProperty(watched, "data", { enumerable: true, get: () => looks++ })
    const patch = nested({ last: "y" })
    assert.isTrue(Result.isSuccess(applyMergePatch(nested({ inner: watched, last: "x" }), patch)))
    assert.isTrue(Result.isSuccess(applyStrategicPatch("ConfigMap", nested({ inner: watched, last: "x" }), patch)))
    assert.isAtMost(looks, 4)
    assert.isTrue(Result.isSuccess(applyMergePatch(nested(watched), nested({ data: "y" }))))
    assert.isAtMost(looks, 8)
  })

  it("in the errors of an object, and in their messages", { timeout }, () => {
    const errors = kinds.ConfigMap.validation.create(
      configMap({ ownerReferences: owners({ controller: true }) }) as never
    )
    assert.strictEqual(errors.length, maxErrors)
    const { details, message } = invalid({ group: "", kind: "ConfigMap" }, "c", errors)
    assert.strictEqual(details?.causes?.length, 1)
    assert.isBelow(message?.length ?? 0, 20 * 1024 * 1024)
    const list = new ErrorList()
    list.append(
      makeArray(200_000, (at) => ({ type: "FieldValueInvalid", field: `f${at}`, badValue: "", detail: "" }) as const)
    )
    assert.strictEqual(list.all.length, maxErrors)
    assert.strictEqual(invalid({ group: "", kind: "X" }, "x", list.all).details?.causes?.length, maxErrors)
  })

  it("in updates of finalizers of a deleted object, of gates and tolerations", { timeout }, () => {
    const finalizers = makeArray(COUNT, (at) => `example.com/f${at}`)
    const stored = configMap({ finalizers, deletionTimestamp: "2026-01-01T00:00:00Z" })
    const update = configMap({ ...stored.metadata, resourceVersion: "1", finalizers: finalizers.toReversed() })
    assert.deepStrictEqual(kinds.ConfigMap.validation.update(update as never, stored as never), [])
    const pod = (tolerations: ReadonlyArray<object>, schedulingGates: ReadonlyArray<object>) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "n", resourceVersion: "1" },
      spec: { containers: [{ name: "c", image: "i" }], tolerations, schedulingGates }
    })
    const tolerations = makeArray(COUNT, (at) => ({ key: `k${at}`, operator: "Exists" }))
    const gates = makeArray(COUNT, (at) => ({ name: `g${at}` }))
    const faults = kinds.Pod.validation.update(
      pod(tolerations.toReversed(), gates.toReversed()) as never,
      pod(tolerations, gates) as never
    )
    assert.notInclude(faults.map(({ detail }) => detail).join(), "existing toleration can not be modified")
  })

  it("in texts that are read by character", { timeout }, () => {
    const format = parseQuantity(`${"0".repeat(300_000)}!`)
    assert.isTrue(Result.isFailure(format) && format.failure.reason === "format")
    const numeric = parseQuantity("1".repeat(3_000_000))
    assert.isTrue(Result.isFailure(numeric) && numeric.failure.reason === "numeric")
    assert.isTrue(Result.isFailure(parseLabelSelector(`a${"(".repeat(400_000)}`)))
    const number = `{"metadata":{"generation":${"1".repeat(2_000_000)}}}`
    assert.isTrue(Result.isFailure(decodeJson(wireTypeOf("ConfigMap"), number)))
    assert.isTrue(isZero(`${"1".repeat(500_000)}x`))
    assert.isUndefined(parseInt64("1".repeat(3_000_000)))
    assert.strictEqual(parseInt64(`-${"0".repeat(100)}7`), -7n)
    const env = (fieldPath: string) => {
      const errors = new ErrorList()
      validateEnv(
        errors,
        { name: "c", env: [{ name: "e", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } } }] } as never,
        "c"
      )
      return errors.all.map(({ detail }) => detail).join()
    }
    assert.include(env(`${"['".repeat(300_000)}x']`), "field label does not support subscript")
    assert.strictEqual(env("metadata.labels['a']"), "")
    assert.include(env("metadata.labels['a"), "field label not supported")
    assert.include(env("['a']"), "field label not supported")
  })

  it("in duplicate fields below a path as long as the body", { timeout }, () => {
    const anything = { ...wireTypeOf("ConfigMap"), fields: new Map(), preserveUnknown: true }
    const repeated = makeArray(100_000, () => '"b":{"a":1,"a":2}').join()
    const text = `{"${"k".repeat(1_000_000)}":{${repeated}}}`
    const { strictErrors } = Result.getOrThrow(decodeJson(anything, text))
    assert.isAbove(strictErrors.length, 0)
    assert.isAtMost(strictErrors.length, 2)
  })
})
