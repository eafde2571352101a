import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeObject, kindOf } from "../../src/index.ts"
import { fieldErrorText } from "../../src/validation/index.ts"

type Fields = Readonly<Record<string, unknown>>

const container = { name: "c", image: "i" }

/** The faults of a new pod with this spec, as the server reads it: decoded and defaulted. */
const faultsOf = (spec: Fields): ReadonlyArray<string> => {
  const pod = { metadata: { name: "p", namespace: "n" }, spec: { containers: [container], ...spec } }
  const { defaults, validation } = kindOf("Pod")
  return validation.create(defaults(Effect.runSync(decodeObject("Pod", pod)))).map(fieldErrorText)
}

const faultsOfVolume = (volume: Fields) => faultsOf({ volumes: [{ name: "v", ...volume }] })

/** The faults of a container's fields, without the path to the container. */
const faultsOfContainer = (fields: Fields, spec: Fields = {}) =>
  faultsOf({ ...spec, containers: [{ ...container, ...fields }] }).map((text) =>
    text.replace("spec.containers[0].", "")
  )

describe("projected volumes", () => {
  it("have one source each, in files of their own", () => {
    const items = [{ key: "a", path: "f" }]
    const sources = [{ secret: { name: "x", items } }, { secret: { name: "y" }, configMap: { name: "z", items } }]
    assert.deepStrictEqual(faultsOfVolume({ projected: { sources } }), [
      'spec.volumes[0].projected: Invalid value: "z": conflicting duplicate paths',
      "spec.volumes[0].projected.sources[1]: Forbidden: may not specify more than 1 volume type per source"
    ])
  })

  it("have tokens that last, and fields that pods have", () => {
    const sources = [
      { serviceAccountToken: { path: "", expirationSeconds: 5 } },
      { downwardAPI: { items: [{ path: "/x", fieldRef: { fieldPath: "spec.nodeName" } }, { path: "y" }] } }
    ]
    assert.deepStrictEqual(faultsOfVolume({ projected: { sources } }), [
      "spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes",
      "spec.volumes[0].projected.path: Required value",
      'spec.volumes[0].projected.sources[1].downwardAPI.path: Invalid value: "/x": must be a relative path',
      'spec.volumes[0].projected.sources[1].downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      "spec.volumes[0].projected.sources[1].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required"
    ])
  })
})

it("volumes of the downward API name the container of a resource, and a known divisor", () => {
  const items = [{ path: "a", resourceFieldRef: { resource: "limits.cpu", divisor: "3" } }]
  assert.deepStrictEqual(faultsOfVolume({ downwardAPI: { items } }), [
    "spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value",
    `spec.volumes[0].downwardAPI.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`
  ])
})

it("ephemeral volumes have a template of claims with labels and annotations alone", () => {
  assert.deepStrictEqual(faultsOfVolume({ ephemeral: {} }), [
    "spec.volumes[0].ephemeral.volumeClaimTemplate: Required value"
  ])
  const volumeClaimTemplate = { metadata: { name: "x" }, spec: { accessModes: ["ReadWriteOnce"] } }
  assert.deepStrictEqual(faultsOfVolume({ ephemeral: { volumeClaimTemplate } }), [
    "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set",
    "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value"
  ])
})

it("claims of volumes are none that are made for the pod", () => {
  const volumeClaimTemplate = { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }
  const volumes = ["p-v", "p-w", "v"].map((claimName, index) => ({
    name: `c${index}`,
    persistentVolumeClaim: { claimName }
  }))
  assert.deepStrictEqual(faultsOf({ volumes: [...volumes, { name: "v", ephemeral: { volumeClaimTemplate } }] }), [
    'spec.volumes[0].persistentVolumeClaim.claimName: Invalid value: "p-v": must not reference a PVC that gets created for an ephemeral volume'
  ])
})

it("images in volumes have a name", () => {
  assert.deepStrictEqual(faultsOfVolume({ image: {} }), ["spec.volumes[0].image.reference: Required value"])
})

it("devices without a name are not repeated", () => {
  const volumeDevices = [{ devicePath: "a" }, { devicePath: "b" }]
  const faults = [0, 1].flatMap((index) => [
    `volumeDevices[${index}].name: Required value`,
    `volumeDevices[${index}].name: Not found: ""`
  ])
  assert.deepStrictEqual(faultsOfContainer({ volumeDevices }), faults)
})

it("mounts propagate and are read-only all the way down as their container allows", () => {
  const mount = { name: "v", mountPath: "/v", mountPropagation: "Bidirectional", recursiveReadOnly: "Enabled" }
  const volumes = [{ name: "v", emptyDir: {} }]
  assert.deepStrictEqual(faultsOfContainer({ volumeMounts: [mount] }, { volumes }), [
    "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
    "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
    "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified"
  ])
})

it("security contexts of containers have known modes and profiles", () => {
  const securityContext = {
    procMount: "Unmasked",
    seccompProfile: { type: "Localhost" },
    appArmorProfile: { type: "X" }
  }
  assert.deepStrictEqual(faultsOfContainer({ securityContext }), [
    'securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    "securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
    'securityContext.appArmorProfile.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"'
  ])
  const localhostProfile = "a"
  assert.deepStrictEqual(
    faultsOfContainer({
      securityContext: { seccompProfile: { localhostProfile }, appArmorProfile: { type: "X", localhostProfile } }
    }),
    [
      "securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set",
      'securityContext.seccompProfile.localhostProfile: Invalid value: {"Type":"","LocalhostProfile":"a"}: can only be set when seccomp type is Localhost',
      'securityContext.appArmorProfile.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"'
    ]
  )
  const empty = { type: "Localhost", localhostProfile: "" }
  assert.deepStrictEqual(faultsOfContainer({ securityContext: { seccompProfile: empty, appArmorProfile: empty } }), [
    "securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost"
  ])
  const escalating = { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } }
  assert.match(
    faultsOfContainer({ securityContext: escalating })[0] ?? "",
    /^securityContext: Invalid value: \{"Capabilities":.*: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN$/
  )
})

it("security contexts of pods have known policies", () => {
  const securityContext = {
    fsGroupChangePolicy: "X",
    supplementalGroupsPolicy: "Y",
    seLinuxChangePolicy: "MountOption"
  }
  assert.deepStrictEqual(faultsOf({ securityContext }), [
    'spec.securityContext.fsGroupChangePolicy: Unsupported value: "X": supported values: "Always", "OnRootMismatch"',
    'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "Y": supported values: "Merge", "Strict"',
    'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"'
  ])
})

it("a pod's own hostname is a name that nothing else sets", () => {
  assert.deepStrictEqual(faultsOf({ hostnameOverride: "a.b", setHostnameAsFQDN: true, hostNetwork: true }), [
    "spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
    "spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true"
  ])
})

it("options of DNS have names", () => {
  assert.deepStrictEqual(faultsOf({ dnsConfig: { options: [{}] } }), [
    "spec.dnsConfig.options[0]: Required value: must not be empty"
  ])
})

it("variables from files name volumes of type emptyDir", () => {
  const fileKeyRef = { key: "K", path: "../p", volumeName: "v" }
  const env = [{ name: "E", valueFrom: { fileKeyRef } }]
  const at = "env[0].valueFrom.fileKeyRef"
  assert.deepStrictEqual(faultsOfContainer({ env }, { volumes: [{ name: "v", configMap: { name: "m" } }] }), [
    `${at}.path: Invalid value: "../p": must not contain '..'`,
    `${at}.volumeName: Invalid value: "v": referenced volume must be of type emptyDir`
  ])
})

it("resources of a pod are at least those of its containers", () => {
  const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2" } }
  const spec = { resources: { requests: { cpu: "500m" }, limits: { cpu: "1" } } }
  assert.deepStrictEqual(faultsOfContainer({ resources }, spec), [
    'spec.resources.requests[cpu]: Invalid value: "500m": must be greater than or equal to aggregate container requests of 1',
    'spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1'
  ])
  assert.deepStrictEqual(faultsOf({ os: { name: "windows" }, resources: spec.resources }), [
    "spec.resources: Forbidden: may not be set for a windows pod"
  ])
})

it("restart rules may restart all containers", () => {
  const rule = { action: "RestartAllContainers", exitCodes: { operator: "In", values: [1] } }
  assert.deepStrictEqual(faultsOfContainer({ restartPolicy: "Never", restartPolicyRules: [rule] }), [])
})

it("resources of a pod are completed from its containers, then from its limits", () => {
  const containers = [{ ...container, resources: { requests: { cpu: "500m" } } }]
  const spec = { containers, resources: { limits: { cpu: "2", memory: "1Gi" } } }
  const pod = { metadata: { name: "p", namespace: "n" }, spec }
  const read = kindOf("Pod").defaults(Effect.runSync(decodeObject("Pod", pod)))
  assert.deepStrictEqual(read.spec.resources, {
    limits: { cpu: "2", memory: "1Gi" },
    requests: { cpu: "500m", memory: "1Gi" }
  })
  assert.strictEqual(kindOf("Pod").defaults(read), read)
})

it("references to fields are to those of the first version", () => {
  const items = [{ path: "a", fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } }]
  assert.deepStrictEqual(faultsOfVolume({ downwardAPI: { items } }), [
    'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2'
  ])
})

describe("restart rules of init containers", () => {
  const rule = { action: "Restart", exitCodes: { operator: "In", values: [1] } }
  const faultsOfInit = (fields: Fields) =>
    faultsOf({ initContainers: [{ ...container, name: "i", ...fields }] }).map((text) =>
      text.replace("spec.initContainers[0].", "")
    )

  it("need a policy, and are not looked at without one", () => {
    const required = "restartPolicy: Required value: must specify restartPolicy when restart rules are used"
    assert.deepStrictEqual(faultsOfInit({ restartPolicyRules: [{ action: "x" }] }), [required])
  })

  it("may be those of a sidecar", () => {
    assert.deepStrictEqual(faultsOfInit({ restartPolicy: "Always", restartPolicyRules: [rule] }), [])
    assert.deepStrictEqual(faultsOfInit({ restartPolicy: "Always", restartPolicyRules: [{ ...rule, action: "x" }] }), [
      'restartPolicyRules[0].action: Unsupported value: "x": supported values: "Restart", "RestartAllContainers"'
    ])
  })
})

describe("the claims of a container", () => {
  it("name a claim, or a request in it, once", () => {
    const entries = [
      { name: "x", request: "A.b" },
      { name: "x", request: "r" },
      { name: "x" },
      { name: "x", request: "_" }
    ]
    const claims = { resources: { claims: entries } }
    const spec = { resourceClaims: [{ name: "x", resourceClaimName: "c" }] }
    const duplicate = 'resources.claims[2]: Duplicate value: "x"'
    const [first, ...others] = faultsOfContainer(claims, spec)
    assert.match(first ?? "", /^resources\.claims\[0\]\.request: Invalid value: "A\.b": a lowercase RFC 1123 label/)
    // One for each of its requests; once it is there as a whole, no request is looked at.
    assert.deepStrictEqual(others, [duplicate, duplicate, duplicate.replace("2", "3")])
  })
})
