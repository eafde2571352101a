import { assert, describe, it } from "vitest"
import { entriesOf, planOf, run } from "./run.ts"

type Settings = Readonly<Record<string, unknown>>

const cluster = { nodes: [{ name: "a", count: 3 }] }

const withConfigFile = (kubeCloudShared: Settings, nodeIPAMController: Settings = {}) => ({
  duration: "1m",
  cluster,
  config: {
    kubeControllerManager: { kubeCloudShared: { allocateNodeCIDRs: true, ...kubeCloudShared }, nodeIPAMController }
  }
})

const withFlags = (...flags: ReadonlyArray<string>) => ({
  duration: "1m",
  cluster,
  flags: { "kube-controller-manager": ["--allocate-node-cidrs", ...flags] }
})

const assignedCidrs = (spec: Settings) => entriesOf(run(spec), "CidrAssigned").map(({ cidrs }) => cidrs.join())

describe("addresses for pods", () => {
  it("are assigned to nodes only with --allocate-node-cidrs", () => {
    assert.deepStrictEqual(assignedCidrs({ duration: "1m", cluster }), [])
    const off = { kubeCloudShared: { allocateNodeCIDRs: false, clusterCIDR: "10.0.0.0/16" } }
    assert.deepStrictEqual(assignedCidrs({ duration: "1m", cluster, config: { kubeControllerManager: off } }), [])
  })

  it("come from the cluster CIDRs, set by file or flag, in the order of the nodes", () => {
    const expected = ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"]
    assert.deepStrictEqual(assignedCidrs(withConfigFile({ clusterCIDR: "10.0.0.0/16" })), expected)
    assert.deepStrictEqual(assignedCidrs(withFlags("--cluster-cidr=10.0.0.0/16")), expected)
    const both = "fd00::/56,10.0.0.0/16"
    const pairs = ["fd00::/64,10.0.0.0/24", "fd00:0:0:1::/64,10.0.1.0/24", "fd00:0:0:2::/64,10.0.2.0/24"]
    assert.deepStrictEqual(assignedCidrs(withConfigFile({ clusterCIDR: both })), pairs)
    assert.deepStrictEqual(assignedCidrs(withFlags(`--cluster-cidr=${both}`)), pairs)
  })

  it("follow the mask sizes", () => {
    const clusterCIDR = "10.0.0.0/16"
    const expected = ["10.0.0.0/26", "10.0.0.64/26", "10.0.0.128/26"]
    for (const [field, flag] of [
      ["nodeCIDRMaskSize", "--node-cidr-mask-size=26"],
      ["nodeCIDRMaskSizeIPv4", "--node-cidr-mask-size-ipv4=26"]
    ] as const) {
      assert.deepStrictEqual(assignedCidrs(withConfigFile({ clusterCIDR }, { [field]: 26 })), expected)
      assert.deepStrictEqual(assignedCidrs(withFlags(`--cluster-cidr=${clusterCIDR}`, flag)), expected)
    }
    const six = ["fd00::/60", "fd00:0:0:10::/60", "fd00:0:0:20::/60"]
    assert.deepStrictEqual(
      assignedCidrs(withConfigFile({ clusterCIDR: "fd00::/48" }, { nodeCIDRMaskSizeIPv6: 60 })),
      six
    )
    assert.deepStrictEqual(assignedCidrs(withFlags("--cluster-cidr=fd00::/48", "--node-cidr-mask-size-ipv6=60")), six)
  })

  it("exclude the service CIDRs", () => {
    const clusterCIDR = "10.0.0.0/16,fd00::/56"
    const expected = ["10.0.1.0/24,fd00:0:0:1::/64", "10.0.2.0/24,fd00:0:0:2::/64", "10.0.3.0/24,fd00:0:0:3::/64"]
    const services = { serviceCIDR: "10.0.0.0/28", secondaryServiceCIDR: "fd00::/112" }
    assert.deepStrictEqual(assignedCidrs(withConfigFile({ clusterCIDR }, services)), expected)
    const range = "--service-cluster-ip-range=10.0.0.0/28,fd00::/112"
    assert.deepStrictEqual(assignedCidrs(withFlags(`--cluster-cidr=${clusterCIDR}`, range)), expected)
  })

  it("are released when the node is deleted; the next node gets the following ones", () => {
    const result = run({
      ...withConfigFile({ clusterCIDR: "10.0.0.0/16" }),
      events: [
        { at: "20s", do: "delete", object: { kind: "Node", name: "a-1" } },
        { at: "30s", do: "apply", objects: [{ apiVersion: "v1", kind: "Node", metadata: { name: "z" } }] }
      ]
    })
    assert.deepStrictEqual(
      entriesOf(result, "CidrReleased").map(({ at, cidrs, node }) => [at, node, ...cidrs]),
      [[20, "a-1", "10.0.1.0/24"]]
    )
    assert.deepStrictEqual(entriesOf(result, "CidrAssigned").at(-1)?.cidrs, ["10.0.3.0/24"])
  })

  it("run out: the node gets an Event each time, with growing back-off", () => {
    const { events, trace } = run(withConfigFile({ clusterCIDR: "10.0.0.0/23" }))
    assert.strictEqual(entriesOf({ trace }, "CidrAssigned").length, 2)
    const exhausted = events.filter(({ reason }) => reason === "CIDRNotAvailable")
    assert.deepStrictEqual(
      [exhausted[0]?.name, exhausted[0]?.message, exhausted[0]?.component, exhausted[0]?.type],
      ["a-2", "Node a-2 status is now: CIDRNotAvailable", "cidrAllocator", "Normal"]
    )
    assert.isAbove(exhausted.length, 5)
  })

  it("make kube-controller-manager exit if a node has a CIDR outside the cluster's", () => {
    const stray = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "s" },
      spec: { podCIDR: "10.9.0.0/24", podCIDRs: ["10.9.0.0/24"] }
    }
    const { trace, warnings } = run({
      ...withConfigFile({ clusterCIDR: "10.0.0.0/16" }),
      cluster: { ...cluster, objects: [stray] }
    })
    assert.deepStrictEqual(warnings, [
      "kube-controller-manager ended: error starting node-ipam-controller: failed to mark cidr[10.9.0.0/24] at idx [0] as occupied for node: s: cidr 10.9.0.0/24 is out the range of cluster cidr 10.0.0.0/16"
    ])
    assert.deepStrictEqual(entriesOf({ trace }, "CidrAssigned"), [])
  })

  it("are refused with kube-controller-manager's messages before the run starts", () => {
    const refusal = (spec: Settings): string => {
      try {
        planOf(spec)
        return ""
      } catch (error) {
        return String(error)
      }
    }
    const refused: ReadonlyArray<readonly [Settings, string]> = [
      [withConfigFile({}), "invalid CIDR[0]: <nil> (invalid CIDR address: )"],
      [withFlags("--cluster-cidr=10.0.0.0/33"), "invalid CIDR[0]: <nil> (invalid CIDR address: 10.0.0.0/33)"],
      [
        withConfigFile({ clusterCIDR: "10.0.0.0/16,10.1.0.0/16" }),
        "len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily"
      ],
      [withConfigFile({ clusterCIDR: "fd00::/47" }), "New CIDR set failed; the node CIDR size is too big"],
      [
        withConfigFile({ clusterCIDR: "10.0.0.0/16", cidrAllocatorType: "CloudAllocator" }),
        "--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured"
      ],
      [withFlags("--cluster-cidr=10.0.0.0/16", "--cidr-allocator-type=Other"), "invalid CIDR allocator type: Other"],
      [
        withFlags("--cluster-cidr=10.0.0.0/16", "--service-cluster-ip-range=10.1.0.0/16,fd00::/112,fd01::/112"),
        "--service-cluster-ip-range can not contain more than two entries"
      ],
      [
        withConfigFile(
          { clusterCIDR: "10.0.0.0/16" },
          { serviceCIDR: "10.1.0.0/16", secondaryServiceCIDR: "10.2.0.0/16" }
        ),
        "serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)"
      ]
    ]
    for (const [spec, message] of refused) {
      assert.include(refusal(spec), `kube-controller-manager would not start: ${message}`)
    }
  })
})
