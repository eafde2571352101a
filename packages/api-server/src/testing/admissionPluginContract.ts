import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, Status } from "@rollcall/api"
import { frozen } from "@rollcall/cluster/testing"
import { layerWallClock, type Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import {
  type AdmissionAttributes,
  type AdmissionContext,
  type AdmissionPlugin,
  AdmissionPlugins,
  type AdmissionReader
} from "../core/admission/Admission.ts"
import { type AdmissionSample, admissionSamples, attributesOf, storedSamples } from "./admissionSamples.ts"

export type { AdmissionSample } from "./admissionSamples.ts"

const readerOf = (objects: ReadonlyArray<KubeObject>): AdmissionReader => {
  const found = (kind: string, namespace: string | undefined) =>
    objects.filter(
      (object) => object.kind === kind && (namespace === undefined || (object.metadata.namespace ?? "") === namespace)
    )
  return {
    get: (kind, namespace, name) => found(kind, namespace).find(({ metadata }) => metadata.name === name) as never,
    list: (kind, namespace) => found(kind, namespace) as never,
    observe: () => undefined
  }
}

const contextOf = (): AdmissionContext => {
  let made = 0
  return {
    reader: readerOf(frozen(storedSamples)),
    updateStatus: (object, done) => done(Result.succeed(object)),
    now: () => Date.UTC(2026, 0, 1),
    makeName: (base) => `${base}${String(10_000 + made++)}`
  }
}

const assertRefusal = (status: Status) => {
  assert.strictEqual(status.status, "Failure")
  assert.isTrue(Number.isInteger(status.code) && (status.code ?? 0) >= 400 && (status.code ?? 0) < 600, "a code")
  assert.notStrictEqual(status.message ?? "", "", "a refusal says why")
}

const titleOf = ({ kind, userInfo, verb }: AdmissionAttributes): string => `${verb} of ${kind} by ${userInfo.user}`

/** Asserts that the plugin has not changed the identity of an object. */
const assertSameIdentity = (before: KubeObject, after: KubeObject) => {
  assert.strictEqual(after.apiVersion, before.apiVersion)
  assert.strictEqual(after.kind, before.kind)
  for (const key of ["name", "namespace", "uid", "resourceVersion"] as const)
    assert.strictEqual(after.metadata[key], before.metadata[key], key)
}

/**
 * Returns the object after the plugin's `mutate`, which must be idempotent and keep the object's identity. Returns
 * undefined if the plugin refuses the write, or if the write has no object.
 */
const mutated = (
  plugin: AdmissionPlugin,
  attributes: AdmissionAttributes,
  context: AdmissionContext
): KubeObject | undefined => {
  if (plugin.mutate === undefined) return attributes.object
  const first = plugin.mutate(attributes, context)
  if (Result.isFailure(first)) {
    assertRefusal(first.failure)
    return undefined
  }
  const object = first.success
  if (attributes.object === undefined || object === undefined) {
    assert.strictEqual(object, attributes.object, "there is no object to make, and none to take away")
    return undefined
  }
  assertSameIdentity(attributes.object, object)
  const again = plugin.mutate({ ...attributes, object: frozen(object) }, context)
  if (Result.isFailure(again)) assert.fail(`refuses what it made: ${again.failure.message}`)
  assert.deepStrictEqual(again.success, object, "shown what it has made, it changes nothing more")
  return object
}

/** Asserts what every plugin must do with a write that it admits. */
const assertContract = (plugin: AdmissionPlugin, attributes: AdmissionAttributes): void => {
  const context = contextOf()
  const object = mutated(plugin, attributes, context)
  if (object === undefined && attributes.object !== undefined) return
  const afterMutation = { ...attributes, object }
  const refusal = plugin.validate?.(afterMutation, context)
  if (refusal !== undefined) assertRefusal(refusal)
  assert.deepStrictEqual(plugin.validate?.(afterMutation, context), refusal, "the same answer to the same question")
}

/**
 * Registers the tests that every layer of the AdmissionPlugins port must pass, in a vitest file. Each plugin receives
 * those of the given writes, and of a few common kinds, that it admits; a plugin that admits none of them has not been
 * tested, which is a failure.
 */
export const admissionPluginContract = <E>(
  name: string,
  layer: Layer.Layer<AdmissionPlugins, E, Timers>,
  samples: ReadonlyArray<AdmissionSample> = []
): void => {
  const all = [...samples, ...admissionSamples].map((sample) => frozen(attributesOf(sample)))
  const withPlugins = (title: string, body: (plugins: ReadonlyArray<AdmissionPlugin>) => void) =>
    it.live(title, () =>
      Effect.map(AdmissionPlugins, body).pipe(Effect.provide(Layer.provide(Layer.fresh(layer), layerWallClock())))
    )
  const admitted = (plugin: AdmissionPlugin) =>
    all.filter(({ kind, subresource, verb }) => plugin.admits(kind, verb, subresource))

  describe(`${name}: admission plugins`, () => {
    withPlugins("have unique names, and decide the same each time", (plugins) => {
      const names = plugins.map((plugin) => plugin.name)
      assert.notInclude(names, "")
      assert.strictEqual(new Set(names).size, names.length, names.join(", "))
      for (const plugin of plugins) {
        assert.isNotEmpty(admitted(plugin), `${plugin.name} admits none of the samples: give one that it does`)
        assert.deepStrictEqual(admitted(plugin), admitted(plugin))
      }
    })

    withPlugins("do not mutate their input, accept their own output, and refuse with a Status", (plugins) => {
      for (const plugin of plugins) {
        for (const attributes of admitted(plugin)) {
          try {
            assertContract(plugin, attributes)
          } catch (error) {
            throw new Error(`${plugin.name}, ${titleOf(attributes)}: ${(error as Error).message}`, { cause: error })
          }
        }
      }
    })
  })
}
