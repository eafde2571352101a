import { assert, describe, it } from "@effect/vitest"
import type { KindName, KubeObject, ObjectMeta, Pod, PodSpec, PriorityClass, Status } from "@rollcall/api"
import { kindNames, resourceOf, taintNotReady, taintUnreachable } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionContext, AdmissionReader } from "../../../src/core/admission/Admission.ts"
import { defaultAdmissionPlugins, priorityAdmission, systemPriorityClasses } from "../../../src/core/admission/index.ts"

const contextOf = (classes: ReadonlyArray<PriorityClass>): AdmissionContext => ({
  reader: {
    get: (_kind, _namespace, name) => classes.find(({ metadata }) => metadata.name === name) as never,
    list: () => classes as never,
    observe: () => undefined
  },
  updateStatus: (object, done) => done(Result.succeed(object)),
  now: () => 0,
  makeName: (base) => `${base}abcde`
})

const attributesOf = (kind: KindName, object: KubeObject, oldObject?: KubeObject): AdmissionAttributes => ({
  verb: oldObject === undefined ? "create" : "update",
  kind,
  resource: resourceOf(kind),
  subresource: undefined,
  namespace: kind === "Pod" ? "default" : "",
  name: object.metadata.name ?? "",
  object,
  oldObject,
  userInfo: { user: "u", groups: [] },
  dryRun: false
})

const pod = (spec: Partial<PodSpec> = {}, metadata: ObjectMeta = { name: "p" }): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata,
  spec: { containers: [], ...spec }
})

const priorityClass = (name: string, value: number, more: Partial<PriorityClass> = {}): PriorityClass => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  value,
  ...more
})

const admit = (classes: ReadonlyArray<PriorityClass>, object: Pod, old?: Pod) => {
  const result = priorityAdmission.mutate?.(attributesOf("Pod", object, old), contextOf(classes))
  return result ?? assert.fail("no mutation")
}
const specOf = (result: Result.Result<KubeObject | undefined, Status>) => (Result.getOrThrow(result) as Pod).spec
const refusalOf = (result: Result.Result<KubeObject | undefined, Status>) =>
  Result.isFailure(result) ? result.failure.message : assert.fail("admitted")

describe("Priority", () => {
  it("gives a pod without a class zero, or the value of the default class", () => {
    assert.deepStrictEqual(specOf(admit(systemPriorityClasses, pod())), {
      containers: [],
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority"
    })
    const classes = [
      priorityClass("high", 9, { globalDefault: true }),
      priorityClass("low", 3, { globalDefault: true, preemptionPolicy: "Never" })
    ]
    assert.deepStrictEqual(specOf(admit(classes, pod())), {
      containers: [],
      priorityClassName: "low",
      priority: 3,
      preemptionPolicy: "Never"
    })
  })

  it("finds the default class again once a class has changed", () => {
    const classes = [priorityClass("first", 1, { globalDefault: true })]
    const observers: Array<() => void> = []
    const context = contextOf(classes)
    const reader: AdmissionReader = {
      ...context.reader,
      observe: (_kind, observer) => void observers.push(observer as () => void)
    }
    const classOfNewPod = () =>
      specOf(
        priorityAdmission.mutate?.(attributesOf("Pod", pod()), { ...context, reader }) as Result.Result<Pod, Status>
      ).priorityClassName
    assert.strictEqual(classOfNewPod(), "first")
    classes.splice(0, 1, priorityClass("second", 2, { globalDefault: true }))
    for (const observe of observers) observe()
    assert.strictEqual(classOfNewPod(), "second")
    classes.pop()
    for (const observe of observers) observe()
    assert.isUndefined(classOfNewPod())
    assert.strictEqual(observers.length, 1)
  })

  it("resolves the classes that every cluster has", () => {
    const spec = specOf(admit(systemPriorityClasses, pod({ priorityClassName: "system-node-critical" })))
    assert.strictEqual(spec.priority, 2_000_001_000)
  })

  it("refuses priorities other than the class's", () => {
    assert.strictEqual(
      refusalOf(admit([], pod({ priorityClassName: "zz" }))),
      'pods "p" is forbidden: no PriorityClass with name zz was found'
    )
    assert.strictEqual(
      refusalOf(admit([], pod({ priority: 5 }, { generateName: "p-" }))),
      'pods "p-" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name'
    )
    assert.strictEqual(
      refusalOf(admit([], pod({ preemptionPolicy: "Never" }))),
      'pods "p" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name'
    )
  })

  it("keeps the priority of a pod that an update omits", () => {
    const old = pod({ priority: 7, preemptionPolicy: "Never" })
    assert.deepStrictEqual(specOf(admit([], pod(), old)), old.spec)
    const same = pod({ priority: 7, preemptionPolicy: "Never" })
    assert.strictEqual(Result.getOrThrow(admit([], same, old)), same)
  })

  it("allows only one default class", () => {
    const first = priorityClass("a", 1, { globalDefault: true })
    const second = priorityClass("b", 2, { globalDefault: true })
    const validate = (object: PriorityClass, old?: PriorityClass) =>
      priorityAdmission.validate?.(attributesOf("PriorityClass", object, old), contextOf([first]))?.message
    assert.strictEqual(
      validate(second),
      'priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as default. Only one default can exist'
    )
    assert.isString(validate(second, priorityClass("b", 2)))
    assert.isUndefined(validate(first, first))
    assert.isUndefined(validate(priorityClass("b", 2)))
  })
})

describe("the default chain", () => {
  const plugins = defaultAdmissionPlugins({ notReadySeconds: 30 })
  const admitted = (kind: KindName, object: KubeObject) => {
    let attributes = attributesOf(kind, object)
    for (const plugin of plugins) {
      if (!plugin.admits(kind, attributes.verb, attributes.subresource)) continue
      const result = plugin.mutate?.(attributes, contextOf([]))
      if (result !== undefined) attributes = { ...attributes, object: Result.getOrThrow(result) }
    }
    return attributes.object
  }

  it("taints nodes, and gives pods a priority and default tolerations, sharing the rest", () => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: { podCIDR: "10.0.0.0/24" } } as const
    assert.deepStrictEqual<unknown>(admitted("Node", node), {
      ...node,
      spec: { podCIDR: "10.0.0.0/24", taints: [{ key: taintNotReady, effect: "NoSchedule" }] }
    })
    const given = pod()
    const result = admitted("Pod", given) as Pod
    assert.strictEqual(result.metadata, given.metadata)
    assert.deepStrictEqual(
      result.spec.tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]),
      [
        [taintNotReady, 30],
        [taintUnreachable, 300]
      ]
    )
  })

  it("skips status writes, deletes and heartbeats", () => {
    for (const plugin of plugins) {
      for (const kind of kindNames) {
        // The size that an expansion allocates counts in quotas.
        const isCounted = plugin.name === "ResourceQuota" && kind === "PersistentVolumeClaim"
        assert.strictEqual(plugin.admits(kind, "update", "status"), isCounted)
        assert.isFalse(plugin.admits(kind, "delete", undefined))
      }
      assert.isFalse(plugin.admits("Lease", "update", undefined))
      assert.isFalse(plugin.admits("Node", "update", undefined))
    }
  })

  it("returns the same object when nothing is missing", () => {
    const once = admitted("Pod", pod())
    assert.strictEqual((admitted("Pod", once as Pod) as Pod).spec.tolerations, (once as Pod).spec.tolerations)
  })
})
