import { assert, describe, it } from "vitest"
import { entriesOf, podWithoutOwner, run } from "./run.ts"

const runtimeClass = (name: string, fields: object = {}) => ({
  apiVersion: "node.k8s.io/v1",
  kind: "RuntimeClass",
  metadata: { name },
  handler: name,
  ...fields
})

const deployment = (name: string, runtimeClassName: string, replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { runtimeClassName, containers: [{ name: "c", image: "x", resources: { requests: { cpu: "1" } } }] }
    }
  }
})

const nodes = [
  { name: "plain", capacity: { cpu: "8" } },
  { name: "sandboxed", labels: { sandbox: "yes" }, capacity: { cpu: "8" } }
]

const readyOn = (objects: ReadonlyArray<unknown>, more: object = {}) =>
  entriesOf(run({ duration: "2m", cluster: { nodes, objects, ...more } }), "PodReadyChanged").map(({ node }) => node)

describe("the RuntimeClasses of a rehearsal", () => {
  it("restrict pods to their nodes, where their overhead counts", () => {
    const scheduling = { nodeSelector: { sandbox: "yes" } }
    const sandboxed = runtimeClass("gvisor", { scheduling, overhead: { podFixed: { cpu: "1" } } })
    // 8 processors are room for 4 pods of 2.
    const placed = readyOn([sandboxed, deployment("web", "gvisor", 5)])
    assert.deepStrictEqual([placed.length, [...new Set(placed)]], [4, ["sandboxed-0"]])
  })

  it("are looked for only where there are some", () => {
    assert.strictEqual(readyOn([deployment("web", "gvisor", 3)]).length, 3)
    assert.deepStrictEqual(readyOn([runtimeClass("other"), deployment("web", "gvisor", 3)]), [])
  })

  it("hold a pod of a snapshot whose class it lacks", () => {
    const onNode = (name: string, runtimeClassName: string) => ({
      ...podWithoutOwner(name, "n1", { runtimeClassName }),
      status: { phase: "Pending" }
    })
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }
    const items = [node, onNode("known", "gvisor"), onNode("unknown", "kata")]
    const runWith = (...more: ReadonlyArray<object>) => {
      const files = { "s.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: [...items, ...more] }) }
      return run({ duration: "2m", cluster: { snapshot: ["s.json"] } }, { files })
    }
    const readyOf = (result: ReturnType<typeof run>) => entriesOf(result, "PodReadyChanged").map(({ pod }) => pod)
    const [without, having] = [runWith(), runWith(runtimeClass("gvisor"))]
    assert.deepStrictEqual([readyOf(without), readyOf(having)], [["known", "unknown"], ["known"]])
    const warned = ({ warnings }: typeof without) =>
      warnings.some((text) => text.includes("has no RuntimeClass: new pods"))
    assert.deepStrictEqual([warned(without), warned(having)], [true, false])
  })

  it("hold a pod whose node lacks the handler", () => {
    const objects = [runtimeClass("gvisor"), deployment("web", "gvisor", 1)]
    assert.deepStrictEqual(readyOn(objects, { nodes: [{ name: "plain", runtimeHandlers: [] }] }), [])
    assert.deepStrictEqual(readyOn(objects, { nodes: [{ name: "has", runtimeHandlers: ["gvisor"] }] }), ["has-0"])
  })
})
