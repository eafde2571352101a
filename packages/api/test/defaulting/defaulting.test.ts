import { assert, describe, it } from "vitest"
import { pullPolicyOf } from "../../src/defaulting/container.ts"
import { defaultNode } from "../../src/defaulting/node.ts"
import {
  type Container,
  defaultPod,
  type KindName,
  type KubeObject,
  kindNames,
  kindOf,
  type Pod
} from "../../src/index.ts"

const deepFreeze = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part)
    Object.freeze(value)
  }
  return value
}

const spec = {
  containers: [
    {
      name: "c",
      image: "registry.example.com:5000/app:1.2",
      ports: [{ containerPort: 80 }],
      resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } },
      livenessProbe: { httpGet: { port: 80 }, periodSeconds: 0 },
      env: [{ name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }]
    }
  ],
  initContainers: [{ name: "i", image: "init" }],
  volumes: [{ name: "v" }, { name: "s", secret: { secretName: "s" } }]
}

const bodies: { readonly [K in KindName]?: unknown } = {
  Pod: { spec },
  Node: { spec: { podCIDRs: ["10.0.0.0/24"] }, status: { capacity: { cpu: "1" } } },
  ReplicaSet: { spec: { template: { spec } } },
  Deployment: { spec: {} },
  DaemonSet: { spec: { template: { spec } } },
  StatefulSet: {},
  Job: { spec: { parallelism: 2 } }
}

const applyDefaults = (kind: KindName, object: KubeObject): KubeObject =>
  (kindOf(kind).defaults as (object: KubeObject) => KubeObject)(object)

describe("defaults", () => {
  it.each(kindNames)("of a %s do not mutate the input, and leave a complete object unchanged", (kind) => {
    const given = deepFreeze({ apiVersion: "x", kind, metadata: { name: "n" }, ...(bodies[kind] as object) })
    const completed = applyDefaults(kind, given)
    assert.strictEqual(applyDefaults(kind, deepFreeze(completed)), completed)
  })

  const pod = defaultPod({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec } as Pod)
  const [container] = pod.spec.containers

  it("make a pod that can run", () => {
    const { containers: _c, initContainers: _i, volumes, ...rest } = pod.spec
    assert.deepStrictEqual(rest, {
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
      enableServiceLinks: true
    })
    assert.deepStrictEqual(volumes, [
      { name: "v", emptyDir: {} },
      { name: "s", secret: { secretName: "s", defaultMode: 420 } }
    ])
    assert.strictEqual(pod.spec.initContainers?.[0]?.imagePullPolicy, "Always")
  })

  it("make a container that can run", () => {
    assert.deepStrictEqual(container, {
      ...spec.containers[0],
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      imagePullPolicy: "IfNotPresent",
      ports: [{ containerPort: 80, protocol: "TCP" }],
      resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m", memory: "1Gi" } },
      livenessProbe: {
        httpGet: { port: 80, path: "/", scheme: "HTTP" },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3
      },
      env: [{ name: "N", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }]
    } as Container)
  })

  it("share unchanged parts", () => {
    const given = { ...pod, spec: { ...pod.spec, dnsPolicy: "" } }
    const completed = defaultPod(given)
    assert.strictEqual(completed.spec.dnsPolicy, "ClusterFirst")
    assert.strictEqual(completed.spec.containers, given.spec.containers)
  })

  it("make a pod's negative grace one second, and drop what only old kubelets read", () => {
    const annotations = { "pod.beta.kubernetes.io/init-containers": "[]", a: "b" }
    const old = { ...pod, metadata: { annotations }, spec: { ...pod.spec, terminationGracePeriodSeconds: -5 } }
    const { metadata, spec } = defaultPod(old)
    assert.strictEqual(spec.terminationGracePeriodSeconds, 1)
    assert.deepStrictEqual(metadata.annotations, { a: "b" })
    const template = { selector: {}, template: { spec: old.spec } }
    const set = kindOf("ReplicaSet").defaults({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {},
      spec: template
    })
    assert.strictEqual(set.spec?.template?.spec?.terminationGracePeriodSeconds, -5)
  })

  it("open the host's ports to a pod on the host's network", () => {
    const hosted = defaultPod({ ...pod, spec: { ...pod.spec, hostNetwork: true } })
    assert.deepStrictEqual(hosted.spec.containers[0]?.ports, [{ containerPort: 80, hostPort: 80, protocol: "TCP" }])
  })

  it.each([
    ["app", "Always"],
    ["app:latest", "Always"],
    ["app:1", "IfNotPresent"],
    ["registry:5000/app", "Always"],
    ["registry:5000/app:1", "IfNotPresent"],
    ["app@sha256:abc", "IfNotPresent"],
    [`app:latest@sha256:${"a".repeat(64)}`, "Always"],
    [`app@sha256:${"a".repeat(64)}`, "IfNotPresent"],
    ["[::1]:5000/app", "Always"],
    ["Registry/app", "Always"],
    ["a/b__c/d--e", "Always"],
    // None of these is a valid reference.
    ["app:latest@sha256:abc", "IfNotPresent"],
    ["", "IfNotPresent"],
    ["App", "IfNotPresent"],
    ["app/", "IfNotPresent"],
    ["a___b", "IfNotPresent"],
    ["-.x/app", "IfNotPresent"],
    ["a".repeat(64), "IfNotPresent"],
    [`a/${"b".repeat(254)}`, "IfNotPresent"],
    ["bb".repeat(124), "IfNotPresent"]
  ])("pull %s %s", (image, policy) => {
    assert.strictEqual(pullPolicyOf(image), policy)
  })

  it.each([
    [{ podCIDR: "a" }, { podCIDR: "a", podCIDRs: ["a"] }],
    [{ podCIDRs: ["a", "b"] }, { podCIDR: "a", podCIDRs: ["a", "b"] }],
    [
      { podCIDR: "a", podCIDRs: ["b", "c"] },
      { podCIDR: "a", podCIDRs: ["a"] }
    ],
    [{}, {}]
  ])("fill in podCIDR and podCIDRs of a node from each other: %j", (given, completed) => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: given } as const
    assert.deepStrictEqual(defaultNode(node).spec, completed)
  })
})
