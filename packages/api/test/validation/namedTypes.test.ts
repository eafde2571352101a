import { assert, describe, it } from "@effect/vitest"
import { kinds } from "../../src/index.ts"
import { checkUid } from "../../src/validation/devices/names.ts"
import { ErrorList, fieldErrorText } from "../../src/validation/index.ts"

/** The errors of a new object, or of an update if there is an old one, cut after their bad values. */
const shown = (kind: keyof typeof kinds, object: object, old?: object): ReadonlyArray<string> => {
  const whole = (part: object) =>
    ({ apiVersion: "v1", kind, metadata: { name: "a", namespace: "b", resourceVersion: "1" }, ...part }) as never
  const { validation } = kinds[kind]
  const errors = old === undefined ? validation.create(whole(object)) : validation.update(whole(object), whole(old))
  return errors.map((error) => fieldErrorText(error).replace(/("): .*$/s, "$1"))
}

const containers = [{ name: "c", image: "i" }]
const pod = (spec: object) => ({ spec: { containers, restartPolicy: "Always", dnsPolicy: "ClusterFirst", ...spec } })
const json = '"\\u003ca\\u003e"'
const quoted = '"<a>"'

/** The errors of a status, cut after their bad values. */
const ofStatus = (kind: keyof typeof kinds, status: object, spec: object): ReadonlyArray<string> => {
  const object = { apiVersion: "v1", kind, metadata: { name: "a", namespace: "b", resourceVersion: "1" }, spec }
  const errors = kinds[kind].validation.updateStatus?.({ ...object, status } as never, object as never) ?? []
  return errors.map((error) => fieldErrorText(error).replace(/("): .*$/s, "$1"))
}

describe("the statuses of pods and jobs", () => {
  it("show the names of claims as their types are", () => {
    const status = {
      resourceClaimStatuses: [{ name: "c", resourceClaimName: "<a>" }],
      extendedResourceClaimStatus: { resourceClaimName: "<a>", requestMappings: [] }
    }
    const found = ofStatus("Pod", status, { containers, resourceClaims: [{ name: "c" }] })
    assert.deepStrictEqual(
      found.filter((text) => text.includes("resourceClaimName")),
      [
        'status.resourceClaimStatuses[0].resourceClaimName: Invalid value: "\\u003ca\\u003e"',
        'status.extendedResourceClaimStatus.resourceClaimName: Invalid value: "<a>"'
      ]
    )
  })

  it("have messages of the health of devices that are not empty", () => {
    const resources = [{ health: "Healthy", message: "" }]
    const status = { containerStatuses: [{ name: "c", allocatedResourcesStatus: [{ name: "a/b", resources }] }] }
    const at = "status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].message"
    const found = ofStatus("Pod", status, { containers })
    assert.deepStrictEqual(
      found.filter((text) => text.startsWith(at)),
      [`${at}: Required value: must be non-empty if specified`]
    )
  })

  it("have no failed indexes without a limit for each index, not even an empty text", () => {
    for (const failedIndexes of ["", "<a>"]) {
      const found = ofStatus("Job", { failedIndexes }, { completions: 1 })
      assert.deepStrictEqual(found, [`status.failedIndexes: Invalid value: "${failedIndexes}"`])
    }
    const limited = ofStatus("Job", { failedIndexes: "<a>" }, { completions: 1, backoffLimitPerIndex: 1 })
    assert.deepStrictEqual(limited[0], 'status.failedIndexes: Invalid value: "\\u003ca\\u003e"')
  })
})

it("the length of a UUID is that of its bytes", () => {
  const errors = new ErrorList()
  checkUid(errors, "é", "uid")
  assert.deepStrictEqual(errors.all.map(fieldErrorText), [
    'uid: Invalid value: "é": error validating uid: invalid UUID length: 2'
  ])
})

describe("the bad values of Go's named strings, and of its pointers to strings", () => {
  it.each<[string, keyof typeof kinds, object, object | undefined, ReadonlyArray<string>]>([
    [
      "tolerations",
      "Pod",
      pod({ tolerations: [{ operator: "<a>", effect: "<a>", tolerationSeconds: 1 }] }),
      undefined,
      [
        `spec.tolerations[0].operator: Invalid value: ${json}`,
        `spec.tolerations[0].effect: Invalid value: ${json}`,
        `spec.tolerations[0].operator: Unsupported value: ${json}`,
        `spec.tolerations[0].effect: Unsupported value: ${json}`
      ]
    ],
    [
      "options of Windows",
      "Pod",
      pod({ securityContext: { windowsOptions: { runAsUserName: "<a>" } } }),
      undefined,
      [`spec.securityContext.windowsOptions.runAsUserName: Invalid value: ${json}`]
    ],
    [
      "resources, unlike the rest of a pod",
      "Pod",
      pod({ nodeName: "<a>", containers: [{ name: "c", image: "i", resources: { limits: { "<a>": "1" } } }] }),
      undefined,
      [
        `spec.containers[0].resources.limits[<a>]: Invalid value: ${json}`,
        `spec.containers[0].resources.limits[<a>]: Invalid value: ${json}`,
        `spec.nodeName: Invalid value: ${quoted}`
      ]
    ],
    [
      "quotas",
      "ResourceQuota",
      { spec: { hard: { "<a>": "1" }, scopeSelector: { matchExpressions: [{ scopeName: "<a>", operator: "<a>" }] } } },
      undefined,
      [
        `spec.hard[<a>]: Invalid value: ${json}`,
        `spec.hard[<a>]: Invalid value: ${json}`,
        `spec.scopeSelector.matchExpressions.scopeName: Invalid value: ${json}`,
        `spec.scopeSelector.matchExpressions.operator: Invalid value: ${json}`
      ]
    ],
    [
      "limits",
      "LimitRange",
      { spec: { limits: [{ type: "<a>" }, { type: "<a>" }] } },
      undefined,
      [
        `spec.limits[0].type: Invalid value: ${json}`,
        `spec.limits[1].type: Invalid value: ${json}`,
        `spec.limits[1].type: Duplicate value: ${json}`
      ]
    ],
    [
      "immutable fields",
      "StorageClass",
      { provisioner: "<a>", reclaimPolicy: "<a>", volumeBindingMode: undefined },
      { provisioner: "a", reclaimPolicy: "Retain", volumeBindingMode: "Immediate" },
      [
        `provisioner: Invalid value: ${quoted}`,
        `reclaimPolicy: Unsupported value: ${json}`,
        `provisioner: Invalid value: ${quoted}`,
        `reclaimPolicy: Invalid value: ${json}`,
        "volumeBindingMode: Invalid value: null: field is immutable"
      ]
    ],
    [
      "uids",
      "ConfigMap",
      { metadata: { name: "a", namespace: "b", resourceVersion: "1", uid: "<a>" } },
      { metadata: { name: "a", namespace: "b", resourceVersion: "1", uid: "b" } },
      [`metadata.uid: Invalid value: ${json}`]
    ],
    [
      "operations of managers",
      "ConfigMap",
      {
        metadata: { name: "a", namespace: "b", managedFields: [{ operation: "<a>", fieldsType: "FieldsV1" }] }
      },
      undefined,
      [`metadata.managedFields[0].operation: Invalid value: ${json}`]
    ]
  ])("are JSON: %s", (_, kind, object, old, texts) => {
    const found = shown(kind, object, old).filter((text) => /<a>|u003c|null/.test(text))
    assert.deepStrictEqual(found, texts)
  })
})
