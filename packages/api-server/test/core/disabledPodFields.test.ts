import { assert, describe, it } from "@effect/vitest"
import {
  annotationTemplateGeneration,
  type DaemonSet,
  type Deployment,
  type Pod,
  type StatefulSet
} from "@rollcall/api"
import { withoutDisabledPodFields, withoutDisabledVolumeStatus } from "../../src/core/registry/disabledPodFields.ts"
import { kindTable } from "../../src/core/registry/table.ts"

type Spec = Pod["spec"]

const plain: Spec = { containers: [{ name: "c", image: "i" }] }

const podOf = (spec: object): Pod =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { ...plain, ...spec } }) as Pod

const hook = { exec: { command: ["x"] } }
const signalled = (lifecycle: object) => [{ name: "c", image: "i", lifecycle: { ...lifecycle, stopSignal: "SIGHUP" } }]

describe("the fields of pods whose feature gates are off", () => {
  it("are not in new pods", () => {
    const sources = [{ clusterTrustBundle: { path: "f" } }, { podCertificate: {} }, { secret: { name: "s" } }]
    const pod = podOf({
      containers: signalled({}),
      initContainers: signalled({ preStop: hook }),
      schedulingGroup: { podGroupName: "g" },
      volumes: [
        { name: "v", projected: { sources } },
        { name: "w", emptyDir: {} }
      ]
    })
    assert.deepStrictEqual(withoutDisabledPodFields(pod).spec as object, {
      containers: plain.containers,
      initContainers: [{ name: "c", image: "i", lifecycle: { preStop: hook } }],
      volumes: [
        { name: "v", projected: { sources: [{}, {}, { secret: { name: "s" } }] } },
        { name: "w", emptyDir: {} }
      ]
    })
  })

  it("stay where the stored pod has them", () => {
    const pod = podOf({ containers: signalled({}) })
    assert.strictEqual(withoutDisabledPodFields(pod, podOf({ containers: signalled({ preStop: hook }) })), pod)
    assert.deepStrictEqual(withoutDisabledPodFields(pod, podOf({})).spec, plain)
  })

  it("leave any other pod as it is", () => {
    const pod = podOf({})
    assert.strictEqual(withoutDisabledPodFields(pod), pod)
  })

  it("are not in templates either", () => {
    const { strategy } = kindTable.Deployment
    const template = { spec: podOf({ containers: signalled({}) }).spec }
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: {}, spec: { template } } as Deployment
    const made = strategy.prepareForCreate?.(deployment) as Deployment
    assert.deepStrictEqual(made.spec.template, { spec: plain })
    const updated = strategy.prepareForUpdate?.(deployment, made) as Deployment
    assert.deepStrictEqual(updated.spec.template, { spec: plain })
  })

  it("are not in the status, unless the stored one has one", () => {
    const status = (mount: object) => ({
      containerStatuses: [{ name: "c", volumeMounts: [{ name: "v", mountPath: "/v", ...mount }] }, { name: "d" }]
    })
    const withStatus = (mount: object) => ({ ...podOf({}), status: status(mount) }) as unknown as Pod
    const pod = withStatus({ volumeStatus: { image: { imageRef: "r" } } })
    assert.deepStrictEqual(withoutDisabledVolumeStatus(pod, withStatus({})), withStatus({}))
    assert.strictEqual(withoutDisabledVolumeStatus(pod, pod), pod)
  })

  it("are no change of a template", () => {
    const { strategy } = kindTable.DaemonSet
    const setOf = (spec: object) =>
      ({ apiVersion: "apps/v1", kind: "DaemonSet", metadata: {}, spec: { template: { spec } } }) as DaemonSet
    const made = strategy.prepareForCreate?.(setOf(plain)) as DaemonSet
    const generationOf = (spec: object) =>
      strategy.prepareForUpdate?.(setOf(spec), made).metadata.annotations?.[annotationTemplateGeneration]
    assert.strictEqual(generationOf({ ...plain, schedulingGroup: { podGroupName: "g" } }), "1")
    assert.strictEqual(generationOf({ ...plain, hostNetwork: true }), "2")
  })
})

it("a StatefulSet has no largest number of unavailable pods, unless it had one", () => {
  const setOf = (rollingUpdate: object) =>
    ({
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: {},
      spec: { updateStrategy: { rollingUpdate } }
    }) as StatefulSet
  const { strategy } = kindTable.StatefulSet
  const set = setOf({ maxUnavailable: 2, partition: 1 })
  assert.deepStrictEqual(strategy.prepareForCreate?.(set), setOf({ partition: 1 }))
  assert.strictEqual(strategy.prepareForUpdate?.(set, setOf({ maxUnavailable: 1 })), set)
})
