import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, PodTemplate, ReplicationController } from "@rollcall/api"
import { kindTable } from "../../src/core/registry/table.ts"
import { makeTestServer, pod } from "./testServer.ts"

const template = (image: string) => ({
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "c", image }] }
})

const controller = {
  apiVersion: "v1",
  kind: "ReplicationController",
  metadata: { name: "r", namespace: "default" },
  spec: { replicas: 3, selector: { a: "b", c: "d" }, template: template("i") }
}

const cellsOf = (kind: "ReplicationController" | "PodTemplate" | "ResourceQuota", object: object) =>
  kindTable[kind].printer.row(object as KubeObject, 0).cells

describe("a new pod", () => {
  it("keeps of a status the class of its quality of service alone, whatever it is", () => {
    const { create } = makeTestServer()
    const sent = (qosClass: string) => ({
      ...(pod("p") as object),
      status: { qosClass, phase: "Running", podIP: "10.0.0.1" }
    })
    assert.deepStrictEqual(create("Pod", sent("x")).status as object, { phase: "Pending", qosClass: "x" })
    assert.strictEqual(makeTestServer().create("Pod", sent("")).status?.qosClass, "BestEffort")
  })
})

describe("replication controllers", () => {
  it("have a scale, whose selector is their labels", () => {
    const testServer = makeTestServer()
    const labels = { a: "b", c: "d" }
    const spec = { ...controller.spec, template: { ...controller.spec.template, metadata: { labels } } }
    testServer.create("ReplicationController", { ...controller, spec })
    const target = { kind: "ReplicationController", namespace: "default", name: "r", subresource: "scale" } as const
    const scale = testServer.ask({ verb: "get", ...target }) as KubeObject & { readonly status: object }
    assert.deepStrictEqual(scale.status, { replicas: 0, selector: "a=b,c=d" })
    testServer.ask({ verb: "update", ...target, object: { ...scale, spec: { replicas: 4 } } as KubeObject })
    const { subresource: _, ...main } = target
    const scaled = testServer.ask({ verb: "get", ...main }) as ReplicationController
    assert.deepStrictEqual([scaled.spec?.replicas, scaled.metadata.generation], [4, 2])
  })

  it("get the labels of their pods again when a patch removes their own", () => {
    const testServer = makeTestServer({ managedFields: true })
    testServer.create("ReplicationController", { ...controller, spec: { ...controller.spec, selector: { a: "b" } } })
    const body = { metadata: { labels: null } }
    const target = { kind: "ReplicationController", namespace: "default", name: "r" } as const
    const { metadata } = testServer.ask({ verb: "patch", patchType: "merge", body, ...target }) as KubeObject
    assert.deepStrictEqual(metadata.labels, { a: "b" })
  })

  it("orphan their pods by default, without a warning, unlike jobs", () => {
    assert.strictEqual(kindTable.ReplicationController.orphansByDefault, true)
    assert.strictEqual(kindTable.Job.orphansByDefault, "warned")
  })

  it("print their counts", () => {
    const printed = { ...controller, status: { replicas: 2, readyReplicas: 1 } }
    assert.deepStrictEqual(cellsOf("ReplicationController", printed), ["r", 3, 2, 1, "<unknown>", "c", "i", "a=b,c=d"])
  })
})

describe("pod templates", () => {
  it("have a generation, which moves with the template", () => {
    const testServer = makeTestServer()
    const object = { apiVersion: "v1", kind: "PodTemplate", metadata: { name: "t", namespace: "default" } } as const
    const made = testServer.create("PodTemplate", { ...object, template: template("i") }) as PodTemplate
    const put = (changed: PodTemplate) =>
      testServer.ask({ verb: "update", kind: "PodTemplate", namespace: "default", name: "t", object: changed })
    assert.deepStrictEqual([made.metadata.generation, cellsOf("PodTemplate", made)], [1, ["t", "c", "i", "a=b"]])
    const labelled = put({ ...made, metadata: { ...made.metadata, labels: { x: "y" } } }) as PodTemplate
    assert.strictEqual(labelled.metadata.generation, 1)
    const changed = { ...labelled, template: { ...made.template, ...template("j") } } as PodTemplate
    assert.strictEqual((put(changed) as PodTemplate).metadata.generation, 2)
  })
})

describe("resource quotas", () => {
  it("print what is used, requests and limits apart", () => {
    const hard = { pods: "5", cpu: "1000m", "limits.cpu": "3" }
    const quota = { metadata: { name: "q" }, status: { hard, used: { pods: "2", "limits.cpu": "100m" } } }
    assert.deepStrictEqual(cellsOf("ResourceQuota", quota), [
      "q",
      "cpu: 0/1, pods: 2/5",
      "limits.cpu: 100m/3",
      "<unknown>"
    ])
  })
})

describe("volume attributes classes", () => {
  it("print their driver", () => {
    const { columns, row } = kindTable.VolumeAttributesClass.printer
    assert.deepStrictEqual(
      columns.map(({ name }) => name),
      ["Name", "DriverName", "Age"]
    )
    const { cells } = row({ metadata: { name: "v" }, driverName: "a.io" } as unknown as KubeObject, 0)
    assert.deepStrictEqual(cells, ["v", "a.io", "<unknown>"])
  })
})
