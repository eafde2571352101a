import { getNodeCondition, type Node, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { sharedManifests } from "../src/fleet/sharedManifests.ts"
import { makeTestFleet, type TestFleet } from "./testFleet.ts"

const podOn = (nodeName: string, name = `on-${nodeName}`): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { nodeName, containers: [{ name: "c", image: "x" }] }
})

const podsOf = ({ admin, run }: TestFleet) => run(admin.list("Pod")).items

const addresses = (testFleet: TestFleet) => podsOf(testFleet).map(({ status }) => status?.podIP)

const ready = ({ admin, run }: TestFleet) =>
  run(admin.list("Node")).items.map((node) => getNodeCondition(node, "Ready")?.status)

describe("the pods of a fleet", () => {
  it("wait for their Node's podCIDR if the cluster assigns one, however late", () => {
    const testFleet = makeTestFleet([{ name: "a", count: 2 }], { assignsPodCIDRs: true })
    testFleet.start()
    testFleet.pass(20)
    assert.deepStrictEqual(ready(testFleet), ["False", "False"])
    for (const node of ["a-0", "a-1"]) testFleet.run(testFleet.admin.create("Pod", podOn(node)))
    testFleet.pass(60)
    assert.deepStrictEqual(addresses(testFleet), [undefined, undefined])
    for (const [index, name] of ["a-1", "a-0"].entries()) {
      const spec = { podCIDR: `10.128.${index}.0/24`, podCIDRs: [`10.128.${index}.0/24`] }
      testFleet.run(testFleet.admin.patch("Node", { name }, "strategic", { spec } as Partial<Node>))
    }
    testFleet.pass(20)
    assert.deepStrictEqual(ready(testFleet), ["True", "True"])
    assert.deepStrictEqual(addresses(testFleet), ["10.128.1.2", "10.128.0.2"])
    testFleet.close()
  })

  it("have modelled addresses if the cluster does not assign them", () => {
    const testFleet = makeTestFleet([{ name: "a", count: 3 }])
    testFleet.start()
    testFleet.pass(5)
    for (const node of testFleet.nodes()) testFleet.run(testFleet.admin.create("Pod", podOn(node ?? "")))
    testFleet.pass(10)
    const first = addresses(testFleet)
    assert.strictEqual(new Set(first).size, 3)
    for (const address of first) assert.match(address ?? "", /^2[45]\d\.\d+\.\d+\.2$/)
    testFleet.close()
  })
})

describe("manifests that a fleet finds at one path", () => {
  it("are static pods of all its kubelets, also of later ones, in addition to a group's", () => {
    const { onMachine, setStaticPods } = sharedManifests()
    const testFleet = makeTestFleet([{ name: "a", count: 1 }], { onMachine })
    testFleet.start()
    testFleet.pass(5)
    setStaticPods([{ source: "/m/p.yaml", kind: "file", pod: { ...podOn(""), metadata: { name: "p" } } }])
    testFleet.pass(5)
    assert.deepStrictEqual(
      podsOf(testFleet).map(({ metadata }) => metadata.name),
      ["p-a-0"]
    )
    const data = { a: '{"name":"a","count":2}' }
    testFleet.run(
      testFleet.admin.patch("ConfigMap", { namespace: "kube-system", name: "rollcall-fleet" }, "merge", { data })
    )
    testFleet.pass(5)
    assert.deepStrictEqual(
      podsOf(testFleet).map(({ metadata }) => metadata.name),
      ["p-a-0", "p-a-1"]
    )
    setStaticPods([])
    testFleet.pass(60)
    assert.deepStrictEqual(podsOf(testFleet), [])
    testFleet.close()
  })
})
