import { type KubeObject, parseTime } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { customResourcePrinter, type Printer, printerOf, tableOf } from "../src/index.ts"

const nowMs = parseTime("2026-01-10T12:00:00Z")
const metadata = { name: "x", namespace: "ns", resourceVersion: "7", creationTimestamp: "2026-01-10T11:53:50Z" }

const cells = (printer: Printer, object: object): ReadonlyArray<unknown> => {
  const kube: KubeObject = { apiVersion: "v1", kind: "X", metadata, ...object }
  return printer.row(kube, nowMs).cells
}
const builtIn = (group: string, kind: string, object: object) => cells(printerOf({ group, kind }), object)

describe("built-in tables", () => {
  it("shows services by type", () => {
    const ports = [
      { port: 80, protocol: "TCP" },
      { port: 53, nodePort: 30053, protocol: "UDP" }
    ]
    assert.deepStrictEqual(builtIn("", "Service", { spec: { type: "NodePort", clusterIPs: ["10.0.0.1"], ports } }), [
      "x",
      "NodePort",
      "10.0.0.1",
      "<none>",
      "80/TCP,53:30053/UDP",
      "6m10s",
      "<none>"
    ])
    assert.deepStrictEqual(builtIn("", "Service", { spec: { type: "LoadBalancer", selector: { b: "2", a: "1" } } }), [
      "x",
      "LoadBalancer",
      "<none>",
      "<pending>",
      "<none>",
      "6m10s",
      "a=1,b=2"
    ])
    assert.deepStrictEqual(builtIn("", "Service", { spec: { type: "ExternalName", externalName: "db.example.com" } }), [
      "x",
      "ExternalName",
      "<none>",
      "db.example.com",
      "<none>",
      "6m10s",
      "<none>"
    ])
  })

  it("shortens long lists of endpoints", () => {
    const addresses = ["10.0.0.1", "10.0.0.2"].map((ip) => ({ ip }))
    const subsets = [{ addresses, ports: [{ port: 80 }, { port: 443 }] }]
    assert.deepStrictEqual(builtIn("", "Endpoints", { subsets }), [
      "x",
      "10.0.0.1:80,10.0.0.2:80,10.0.0.1:443 + 1 more...",
      "6m10s"
    ])
    const ports = [{ port: 443, name: "https" }, { name: "any" }, {}]
    assert.strictEqual(builtIn("discovery.k8s.io", "EndpointSlice", { addressType: "IPv4", ports })[2], "443,any,*")
    const unnamed = { addressType: "IPv4", ports: [{ name: "", protocol: "TCP" }], endpoints: [{ addresses: [] }] }
    assert.deepStrictEqual(builtIn("discovery.k8s.io", "EndpointSlice", unnamed).slice(2, 4), ["<unset>", "<unset>"])
    assert.deepStrictEqual(builtIn("discovery.k8s.io", "EndpointSlice", { addressType: "IPv4" }), [
      "x",
      "IPv4",
      "<unset>",
      "<unset>",
      "6m10s"
    ])
  })

  it("shows volumes and claims", () => {
    const spec = {
      capacity: { storage: "5Gi" },
      accessModes: ["ReadWriteMany", "ReadWriteOnce"],
      claimRef: { namespace: "ns", name: "c" }
    }
    assert.deepStrictEqual(builtIn("", "PersistentVolume", { spec, status: { phase: "Bound" } }), [
      "x",
      "5Gi",
      "RWO,RWX",
      "",
      "Bound",
      "ns/c",
      "",
      "<unset>",
      "",
      "6m10s",
      "<unset>"
    ])
    assert.deepStrictEqual(
      builtIn("", "PersistentVolumeClaim", { spec: { storageClassName: "slow" }, status: { phase: "Pending" } }),
      ["x", "Pending", "", "", "", "slow", "<unset>", "6m10s", "<unset>"]
    )
  })

  it("names the controller of a revision with its group", () => {
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "u", controller: true }]
    const object = { metadata: { ...metadata, ownerReferences }, revision: 3 }
    assert.deepStrictEqual(builtIn("apps", "ControllerRevision", object), ["x", "daemonset.apps/agent", 3, "6m10s"])
  })

  it("show the state of a job", () => {
    const status = { startTime: "2026-01-10T11:55:00Z", succeeded: 1 }
    const spec = { template: { spec: { containers: [{ name: "c", image: "i" }] } } }
    assert.deepStrictEqual(builtIn("batch", "Job", { spec: { ...spec, parallelism: 3 }, status }), [
      "x",
      "Running",
      "1/1 of 3",
      "5m",
      "6m10s",
      "c",
      "i",
      "<none>"
    ])
    const complete = {
      ...status,
      completionTime: "2026-01-10T11:56:00Z",
      conditions: [{ type: "Complete", status: "True" }]
    }
    assert.deepStrictEqual(
      builtIn("batch", "Job", { spec: { ...spec, completions: 1 }, status: complete }).slice(1, 4),
      ["Complete", "1/1", "60s"]
    )
  })

  it("reads events of the new group", () => {
    const event = {
      regarding: { kind: "Pod", name: "p" },
      note: " n\n",
      eventTime: "2026-01-10T11:59:00.000000Z",
      reportingController: "s"
    }
    assert.deepStrictEqual(builtIn("events.k8s.io", "Event", event), [
      "60s",
      "",
      "",
      "pod/p",
      "",
      "s",
      "n",
      "60s",
      1,
      "x"
    ])
  })

  it("distinguish subjects by kind", () => {
    const subjects = [
      { kind: "User", name: "alice" },
      { kind: "ServiceAccount", name: "d", namespace: "n" },
      { kind: "User", name: "bob" }
    ]
    assert.deepStrictEqual(
      builtIn("rbac.authorization.k8s.io", "RoleBinding", { roleRef: { kind: "Role", name: "r" }, subjects }),
      ["x", "Role/r", "6m10s", "alice, bob", "", "n/d"]
    )
  })

  it("fall back to name and creation time", () => {
    assert.deepStrictEqual(builtIn("example.com", "Node", {}), ["x", "2026-01-10T11:53:50Z"])
    assert.deepStrictEqual(builtIn("", "constructor", {}), ["x", "2026-01-10T11:53:50Z"])
  })
})

describe("custom resources", () => {
  it("show a number beyond all integers as Go converts it", () => {
    const printer = customResourcePrinter([{ name: "Size", type: "integer", jsonPath: ".spec.size" }])
    const sizeOf = (size: unknown) => cells(printer, { spec: { size } })[1]
    assert.deepStrictEqual([1e20, -1e300, 2 ** 63].map(sizeOf), [-(2n ** 63n), -(2n ** 63n), -(2n ** 63n)])
    assert.deepStrictEqual([2 ** 60, 1e15, -1.5].map(sizeOf), [2n ** 60n, 1e15, -1])
  })

  it("show the columns of the definition by type", () => {
    const printer = customResourcePrinter([
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Tags", type: "string", jsonPath: ".spec.tags", priority: 1 },
      { name: "Since", type: "date", jsonPath: ".status.since", description: "since when" },
      { name: "Gone", type: "string", jsonPath: ".status.nothing" }
    ])
    const object = { spec: { size: 2.5, tags: ["a"] }, status: { since: "2026-01-10T11:59:00Z" } }
    assert.deepStrictEqual(cells(printer, object), ["x", 2, '["a"]', "60s", null])
    assert.deepStrictEqual(printer.columns.map(({ description, priority }) => [description, priority]).slice(1, 4), [
      ["Custom resource definition column (in JSONPath format): .spec.size", 0],
      ["Custom resource definition column (in JSONPath format): .spec.tags", 1],
      ["since when", 0]
    ])
    assert.deepStrictEqual(cells(printer, { spec: { size: "2" }, status: { since: "soon" } }), [
      "x",
      null,
      null,
      "<invalid>",
      null
    ])
    assert.strictEqual(cells(printer, { status: { since: "" } })[3], "<unknown>")
  })

  it("show the age when the definition has no columns", () => {
    assert.deepStrictEqual(cells(customResourcePrinter([]), {}), ["x", "6m10s"])
  })
})

describe("tableOf", () => {
  const object: KubeObject = { apiVersion: "v1", kind: "ServiceAccount", metadata }
  const printer = printerOf({ group: "", kind: "ServiceAccount" })

  it("includes the metadata, the object or nothing", () => {
    const shown = (includeObject?: "None" | "Object") =>
      tableOf(printer, [object], { nowMs, ...(includeObject === undefined ? {} : { includeObject }) }).rows[0]?.object
    assert.deepStrictEqual(shown(), { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata })
    assert.strictEqual(shown("Object"), object)
    assert.isNull(shown("None"))
  })

  it("has the list's metadata, or the single object's revision", () => {
    assert.deepStrictEqual(tableOf(printer, [object], { nowMs }).metadata, { resourceVersion: "7" })
    const listMeta = { resourceVersion: "9", continue: "c" }
    assert.deepStrictEqual(tableOf(printer, [object, object], { nowMs, listMeta }).metadata, listMeta)
  })

  it("omits the columns for later events of a watch", () => {
    assert.isNull(tableOf(printer, [object], { nowMs, withoutColumns: true }).columnDefinitions)
  })
})

describe("an object that cannot be printed", () => {
  const kube = (name: string, more: object = {}): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, name },
    ...more
  })
  const objects = [kube("a", { spec: { containers: [] } }), kube("odd"), kube("b", { spec: { containers: [] } })]
  const printer = printerOf({ group: "", kind: "Pod" })

  it("has a row with only its name, beside whole rows of all others, and is reported", () => {
    const reported: Array<string | undefined> = []
    const { rows } = tableOf(printer, objects, {
      nowMs,
      onUnprintable: ({ metadata: { name } }) => reported.push(name)
    })
    assert.deepStrictEqual(
      rows.map(({ cells }) => cells[0]),
      ["a", "odd", "b"]
    )
    assert.deepStrictEqual(rows[1]?.cells, ["odd", ...printer.columns.slice(1).map(() => null)])
    assert.strictEqual(rows[2]?.cells[1], "0/0")
    assert.deepStrictEqual(reported, ["odd"])
  })

  it("has the order of a sorted list, and nothing else", () => {
    const reported: Array<string | undefined> = []
    const order = () => {
      throw new Error("by hand")
    }
    const { rows } = tableOf({ ...printer, order }, objects, {
      nowMs,
      onUnprintable: ({ metadata: { name } }) => reported.push(name)
    })
    assert.lengthOf(rows, 3)
    assert.lengthOf(reported, 2)
  })
})
