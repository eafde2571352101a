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
const samples: ReadonlyArray<AdmissionSample> = [
  { kind: "RuntimeClass" as KindName, verb: "create", object: runtimeClass }
]

admissionPluginContract("those of a server", AdmissionPlugins.layer(...serverAdmissionPlugins()), samples)
