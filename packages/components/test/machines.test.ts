import { getNodeCondition, type Node, type Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { sharedManifests } from "../src/fleet/sharedManifests.ts"
import { makeWorld, type World } from "./world.ts"

const podOn = (nodeName: string, name = `on-${nodeName}`): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { nodeName, containers: [{ name: "c", image: "x" }] }
})

const podsOf = ({ admin, run }: World) => run(admin.list("Pod")).items

const addresses = (world: World) => podsOf(world).map(({ status }) => status?.podIP)

const ready = ({ admin, run }: World) =>
  run(admin.list("Node")).items.map((node) => getNodeCondition(node, "Ready")?.status)

describe("the pods of a fleet", () => {
  it("wait for their Node's podCIDR if the cluster assigns one, however late", () => {
    const world = makeWorld([{ name: "a", count: 2 }], { assignsPodCIDRs: true })
    world.start()
    world.pass(20)
    assert.deepStrictEqual(ready(world), ["False", "False"])
    for (const node of ["a-0", "a-1"]) world.run(world.admin.create("Pod", podOn(node)))
    world.pass(60)
    assert.deepStrictEqual(addresses(world), [undefined, undefined])
    for (const [index, name] of ["a-1", "a-0"].entries()) {
      const spec = { podCIDR: `10.128.${index}.0/24`, podCIDRs: [`10.128.${index}.0/24`] }
      world.run(world.admin.patch("Node", { name }, "strategic", { spec } as Partial<Node>))
    }
    world.pass(20)
    assert.deepStrictEqual(ready(world), ["True", "True"])
    assert.deepStrictEqual(addresses(world), ["10.128.1.2", "10.128.0.2"])
    world.close()
  })

  it("have modelled addresses if the cluster does not assign them", () => {
    const world = makeWorld([{ name: "a", count: 3 }])
    world.start()
    world.pass(5)
    for (const node of world.nodes()) world.run(world.admin.create("Pod", podOn(node ?? "")))
    world.pass(10)
    const first = addresses(world)
    assert.strictEqual(new Set(first).size, 3)
    for (const address of first) assert.match(address ?? "", /^2[45]\d\.\d+\.\d+\.2$/)
    world.close()
  })
})

describe("manifests that a fleet finds at one path", () => {
  it("are static pods of all its kubelets, also of later ones, in addition to a group's", () => {
    const { onMachine, setStaticPods } = sharedManifests()
    const world = makeWorld([{ name: "a", count: 1 }], { onMachine })
    world.start()
    world.pass(5)
    setStaticPods([{ source: "/m/p.yaml", kind: "file", pod: { ...podOn(""), metadata: { name: "p" } } }])
    world.pass(5)
    assert.deepStrictEqual(
      podsOf(world).map(({ metadata }) => metadata.name),
      ["p-a-0"]
    )
    const data = { a: '{"name":"a","count":2}' }
    world.run(world.admin.patch("ConfigMap", { namespace: "kube-system", name: "rollcall-fleet" }, "merge", { data }))
    world.pass(5)
    assert.deepStrictEqual(
      podsOf(world).map(({ metadata }) => metadata.name),
      ["p-a-0", "p-a-1"]
    )
    setStaticPods([])
    world.pass(60)
    assert.deepStrictEqual(podsOf(world), [])
    world.close()
  })
})
