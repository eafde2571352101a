import type { Request } from "./HttpClient.ts"

export const NODES = "/api/v1/nodes"
export const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
export const PODS = "/api/v1/namespaces/default/pods"

export const nodeName = (number: number): string => `node-${number}`

const quantities = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" }
const TIME = "2026-01-01T00:00:00Z"

/** A node with the status that a kubelet reports. */
const nodeNamed = (name: string, number: number) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    labels: {
      "kubernetes.io/hostname": name,
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "amd64",
      "topology.kubernetes.io/zone": `zone-${number % 3}`,
      "topology.kubernetes.io/region": "r1"
    }
  },
  status: {
    capacity: quantities,
    allocatable: quantities,
    conditions: ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
      type,
      status: type === "Ready" ? "True" : "False",
      reason: "Kubelet",
      message: "kubelet is posting status",
      lastHeartbeatTime: TIME,
      lastTransitionTime: TIME
    })),
    nodeInfo: {
      machineID: name,
      systemUUID: name,
      bootID: name,
      kernelVersion: "6.1",
      osImage: "linux",
      containerRuntimeVersion: "containerd://2.1",
      kubeletVersion: "v1.36.2",
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: "amd64"
    }
  }
})

const podNumbered = (number: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `pod-${number}`, labels: { app: "load" } },
  spec: {
    nodeName: nodeName(0),
    automountServiceAccountToken: false,
    containers: [
      { name: "c", image: "registry.k8s.io/pause:3.10", resources: { requests: { cpu: "10m", memory: "16Mi" } } }
    ]
  }
})

/** A Lease as a kubelet's client sends it: `version` is that of the Lease as it knows it, "" for a new one. */
export const leaseText = (name: string, version: string, renewTime: string): string => {
  const revision = version === "" ? "" : `,"resourceVersion":"${version}"`
  const metadata = `{"name":"${name}","namespace":"kube-node-lease"${revision}}`
  const spec = `{"holderIdentity":"${name}","leaseDurationSeconds":40,"renewTime":"${renewTime}"}`
  return `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":${metadata},"spec":${spec}}`
}

export const createNode = (number: number): Request => ({
  method: "POST",
  path: NODES,
  body: JSON.stringify(nodeNamed(nodeName(number), number))
})

export const createLease = (number: number): Request => ({
  method: "POST",
  path: LEASES,
  body: leaseText(nodeName(number), "", "2026-01-01T00:00:00.000000Z")
})

/** Without it no pod is let in. */
export const createAccount = (): Request => ({
  method: "POST",
  path: "/api/v1/namespaces/default/serviceaccounts",
  body: '{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}}'
})

export const createPod = (number: number): Request => ({
  method: "POST",
  path: PODS,
  body: JSON.stringify(podNumbered(number))
})

export const deletePod = (number: number): Request => ({
  method: "DELETE",
  path: `${PODS}/pod-${number}`,
  body: '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}'
})
