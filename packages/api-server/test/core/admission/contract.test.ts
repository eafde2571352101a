import type { KindName, KubeObject } from "@rollcall/api"
import { AdmissionPlugins } from "../../../src/core/index.ts"
import { serverAdmissionPlugins } from "../../../src/security/index.ts"
import { type AdmissionSample, admissionPluginContract } from "../../../src/testing/index.ts"

const runtimeClass = {
  apiVersion: "node.k8s.io/v1",
  kind: "RuntimeClass",
  metadata: { name: "fast" },
  handler: "fast"
} as KubeObject
const ingress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name: "web", namespace: "default" },
  spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } }
} as KubeObject
const slice = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name: "gpus" },
  spec: {
    driver: "gpu.example.com",
    nodeName: "node-1",
    pool: { name: "node-1", generation: 1, resourceSliceCount: 1 },
    devices: [{ name: "gpu-0", taints: [{ key: "broken", effect: "NoExecute" }] }]
  }
} as KubeObject
const samples: ReadonlyArray<AdmissionSample> = [
  { kind: "RuntimeClass" as KindName, verb: "create", object: runtimeClass },
  { kind: "Ingress" as KindName, verb: "create", object: ingress },
  { kind: "ResourceSlice" as KindName, verb: "create", object: slice }
]

admissionPluginContract("those of a server", AdmissionPlugins.layer(...serverAdmissionPlugins()), samples)
