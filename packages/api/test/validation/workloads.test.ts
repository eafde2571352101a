import { assert, describe, it } from "vitest"
import { defaultDaemonSet, defaultDeployment, defaultStatefulSet } from "../../src/defaulting/workloads.ts"
import type { Deployment, StatefulSet } from "../../src/index.ts"
import { daemonSetRules } from "../../src/validation/daemonSet.ts"
import { type FieldErrors, fieldErrorText } from "../../src/validation/index.ts"
import { statefulSetRules } from "../../src/validation/statefulSet.ts"
import { validateDeploymentStatusUpdate } from "../../src/validation/workloadStatus.ts"
import { validateDeployment, validateDeploymentUpdate } from "../../src/validation/workloads.ts"

const texts = (errors: FieldErrors): ReadonlyArray<string> => errors.map(fieldErrorText)

const metadata = { name: "d", namespace: "x", uid: "u", resourceVersion: "1" }
const labels = { app: "d" }
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } }

const deploymentOf = (spec: Partial<Deployment["spec"]>): Deployment =>
  defaultDeployment({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { selector: { matchLabels: labels }, template, ...spec }
  })

describe("a deployment", () => {
  it("needs only a selector and a template", () => {
    assert.deepStrictEqual(texts(validateDeployment(deploymentOf({}))), [])
  })

  it("must not select everything", () => {
    assert.deepStrictEqual(texts(validateDeployment(deploymentOf({ selector: {} }))), [
      "spec.selector: Invalid value: {}: empty selector is invalid for deployment"
    ])
  })

  it("has a progress deadline after its minimum ready time", () => {
    assert.deepStrictEqual(texts(validateDeployment(deploymentOf({ minReadySeconds: 600 }))), [
      "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"
    ])
  })

  it("must be able to progress in a rolling update", () => {
    const strategy = { rollingUpdate: { maxSurge: "0%", maxUnavailable: 0 } }
    assert.deepStrictEqual(texts(validateDeployment(deploymentOf({ strategy }))), [
      "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"
    ])
  })

  it("keeps its selector", () => {
    const matchLabels = { app: "z" }
    const changed = deploymentOf({
      selector: { matchLabels },
      template: { ...template, metadata: { labels: matchLabels } }
    })
    assert.deepStrictEqual(texts(validateDeploymentUpdate(changed, deploymentOf({}))), [
      'spec.selector: Invalid value: {"matchLabels":{"app":"z"}}: field is immutable'
    ])
  })

  it("has at most as many ready pods as pods, and never counts collisions down", () => {
    const before = { ...deploymentOf({}), status: { collisionCount: 2 } }
    const after = { ...before, status: { replicas: 1, readyReplicas: 2, collisionCount: 1 } }
    assert.deepStrictEqual(texts(validateDeploymentStatusUpdate(after, before)), [
      "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.collisionCount: Invalid value: 1: cannot be decremented"
    ])
  })
})

describe("a stateful set", () => {
  const statefulSet: StatefulSet = defaultStatefulSet({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata,
    spec: {
      selector: { matchLabels: labels },
      serviceName: "s",
      volumeClaimTemplates: [
        {
          metadata: { name: "claim" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
        }
      ],
      template: {
        ...template,
        spec: { containers: [{ name: "c", image: "i", volumeMounts: [{ name: "claim", mountPath: "/data" }] }] }
      }
    }
  })

  it("may mount its claim templates", () => {
    assert.deepStrictEqual(texts(statefulSetRules.create(statefulSet)), [])
  })

  it("may be scaled but may not change its service", () => {
    const scaled = { ...statefulSet, spec: { ...statefulSet.spec, replicas: 3 } }
    assert.deepStrictEqual(texts(statefulSetRules.update(scaled, statefulSet)), [])
    const moved = { ...statefulSet, spec: { ...statefulSet.spec, serviceName: "t" } }
    assert.deepStrictEqual(
      statefulSetRules.update(moved, statefulSet).map(({ field, type }) => `${field} ${type}`),
      ["spec FieldValueForbidden"]
    )
  })
})

it("counters of pods that end are not negative", () => {
  const deployment = { ...deploymentOf({}), status: { replicas: 1, terminatingReplicas: -1 } } as Deployment
  assert.deepStrictEqual(texts(validateDeploymentStatusUpdate(deployment, deploymentOf({}))), [
    "status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0"
  ])
})

describe("a daemon set", () => {
  it("carries at most 256 KiB of annotations, without the generation of its template, which is a field to Go", () => {
    const daemonSetOf = (a: string) =>
      defaultDaemonSet({
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { ...metadata, annotations: { a } },
        spec: { selector: { matchLabels: labels }, template }
      })
    const fits = daemonSetOf("x".repeat(256 * 1024 - 1))
    assert.property(fits.metadata.annotations, "deprecated.daemonset.template.generation")
    const tooLong = daemonSetOf("x".repeat(256 * 1024))
    const fault = "metadata.annotations: Too long: may not be more than 262144 bytes"
    assert.deepStrictEqual(texts(daemonSetRules.create(fits)), [])
    assert.deepStrictEqual(texts(daemonSetRules.create(tooLong)), [fault])
    assert.deepStrictEqual(texts(daemonSetRules.update(fits, tooLong)), [])
    assert.deepStrictEqual(texts(daemonSetRules.update(tooLong, fits)), [fault])
  })
})
