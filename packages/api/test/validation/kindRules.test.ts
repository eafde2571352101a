import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeObject, type KindName, kindOf, type ObjectMeta, type ObjectOf } from "../../src/index.ts"
import { checkConditions } from "../../src/validation/conditions.ts"
import { ErrorList, fieldErrorText, validateChangedMetadata, validateNewMetadata } from "../../src/validation/index.ts"

// The messages are those of kube-apiserver v1.36.2 for the same objects.

/** As the server reads it: decoded and defaulted. */
const read = <K extends KindName>(kind: K, object: object): ObjectOf<K> => {
  const isNamespaced = kindOf(kind).resource.namespaced
  const metadata = { name: "a", resourceVersion: "1", uid: "u", ...(isNamespaced ? { namespace: "n" } : {}) }
  return kindOf(kind).defaults(Effect.runSync(decodeObject(kind, { metadata, ...object })))
}

const createFaults = <K extends KindName>(kind: K, object: object): ReadonlyArray<string> =>
  kindOf(kind).validation.create(read(kind, object)).map(fieldErrorText)

const updateFaults = <K extends KindName>(kind: K, object: object, old: object): ReadonlyArray<string> =>
  kindOf(kind).validation.update(read(kind, object), read(kind, old)).map(fieldErrorText)

const statusFaults = <K extends KindName>(kind: K, status: object): ReadonlyArray<string> =>
  (kindOf(kind).validation.updateStatus?.(read(kind, { status }), read(kind, {})) ?? []).map(fieldErrorText)

const stored: ObjectMeta = { name: "a", namespace: "n", uid: "u", resourceVersion: "1" }

describe("the rules of kinds that check metadata alone and its change", () => {
  const requests = { requests: [{ name: "r", exactly: { deviceClassName: "x" } }] }
  const objects: ReadonlyArray<readonly [kind: KindName, object: object]> = [
    ["DeviceClass", {}],
    ["ResourceClaim", { spec: { devices: requests } }],
    ["ResourceClaimTemplate", { spec: { spec: { devices: requests } } }],
    ["IPAddress", { spec: { parentRef: { resource: "services", name: "s" } } }],
    ["APIService", { spec: { group: "g.example", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 } }]
  ]
  it.each(objects)("report a label of a changed %s twice", (kind, object) => {
    const old = read(kind, object)
    const changed = { ...old, metadata: { ...old.metadata, labels: { "a b": "" } } }
    const faults = kindOf(kind).validation.update(changed, old)
    assert.strictEqual(faults.filter(({ field }) => field === "metadata.labels").length, 2)
  })

  it("report no metadata of a changed status of a policy", () => {
    const old = read("ValidatingAdmissionPolicy", {})
    const changed = { ...old, metadata: { ...old.metadata, uid: "v" } }
    assert.deepStrictEqual(kindOf("ValidatingAdmissionPolicy").validation.updateStatus?.(changed, old), [])
  })
})

describe("metadata of any kind", () => {
  const cases: ReadonlyArray<readonly [what: string, metadata: ObjectMeta, faults: ReadonlyArray<string>]> = [
    ["nothing", {}, []],
    [
      "a name of two segments",
      { name: "a/b" },
      [
        "metadata.name: Invalid value: \"a/b\": may not contain '/'",
        'metadata.name: Invalid value: "a/b": field is immutable'
      ]
    ],
    ["a prefix that is no name", { generateName: "A_" }, []],
    [
      "a prefix of two segments",
      { generateName: "a/" },
      ["metadata.generateName: Invalid value: \"a/\": may not contain '/'"]
    ],
    [
      "no revision",
      { resourceVersion: "" },
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update']
    ],
    ["a finalizer without a domain", { finalizers: ["text"] }, []],
    ["a new uid", { uid: "v" }, ['metadata.uid: Invalid value: "v": field is immutable']]
  ]

  for (const [what, metadata, faults] of cases) {
    it(`is checked when an update gives it ${what}`, () => {
      const found = validateChangedMetadata({ ...stored, ...metadata }, stored, true).map(fieldErrorText)
      assert.deepStrictEqual(found, faults)
    })
  }

  it("reports a label as an object's and as a change", () => {
    const found = validateChangedMetadata({ ...stored, labels: { a: "b c" } }, stored, true)
    assert.deepStrictEqual(
      found.map(({ field }) => field),
      ["metadata.labels", "metadata.labels"]
    )
  })

  it("is checked for a new object whose kind has no rule for it", () => {
    assert.deepStrictEqual(validateNewMetadata({ ...stored, name: ".." }, true).map(fieldErrorText), [
      "metadata.name: Invalid value: \"..\": may not be '..'"
    ])
  })
})

describe("daemon sets", () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
  const selector = { matchLabels: { a: "b" } }

  it("need no selector, but their template has to match it", () => {
    assert.deepStrictEqual(createFaults("DaemonSet", { spec: { selector, template } }), [])
    const { spec, ...rest } = read("DaemonSet", { spec: { selector, template } })
    const { selector: _, ...unselected } = spec
    const faults = kindOf("DaemonSet").validation.create({ ...rest, spec: unselected as typeof spec })
    assert.deepStrictEqual(faults.map(fieldErrorText), [
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'
    ])
  })

  it("check their template even if their selector is invalid", () => {
    const spec = {
      selector: { matchExpressions: [{ key: "a", operator: "x" }] },
      template: { spec: { containers: [] } }
    }
    assert.deepStrictEqual(createFaults("DaemonSet", { spec }), [
      'spec.selector.matchExpressions[0].operator: Invalid value: "x": not a valid selector operator',
      "spec.template.spec.containers: Required value"
    ])
  })

  it("replace or add pods, not both", () => {
    const faults = (maxUnavailable: unknown, maxSurge: unknown) =>
      createFaults("DaemonSet", {
        spec: { selector, template, updateStrategy: { rollingUpdate: { maxUnavailable, maxSurge } } }
      })
    const path = "spec.updateStrategy.rollingUpdate"
    assert.deepStrictEqual(faults(0, "10%"), [])
    assert.deepStrictEqual(faults(1, 1), [
      `${path}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`
    ])
    const percent = "a valid percent string must be a numeric string followed by an ending '%'"
    // What is an integer or a string in Go is shown as JSON, which escapes characters of HTML.
    assert.include(faults("<é>", 0).join(), `${path}.maxUnavailable: Invalid value: "\\u003cé\\u003e": ${percent}`)
    assert.deepStrictEqual(faults(0, 0), [`${path}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`])
  })

  it("show the generation of their template", () => {
    const { annotations } = read("DaemonSet", { spec: { selector, template } }).metadata
    assert.deepStrictEqual(annotations, { "deprecated.daemonset.template.generation": "0" })
    const fault = (text: string) =>
      kindOf("DaemonSet").conversionFault?.(
        read("DaemonSet", {
          metadata: { annotations: { "deprecated.daemonset.template.generation": text } },
          spec: { selector, template }
        })
      )
    assert.strictEqual(fault("+7"), undefined)
    assert.strictEqual(fault("x"), 'strconv.ParseInt: parsing "x": invalid syntax')
    assert.strictEqual(
      fault("9223372036854775808"),
      'strconv.ParseInt: parsing "9223372036854775808": value out of range'
    )
  })
})

describe("stateful sets", () => {
  const labels = { a: "b" }
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } }
  }

  it("check the claims of new ones only", () => {
    const claimed = { spec: { ...spec, volumeClaimTemplates: [{ metadata: { name: "v" } }] } }
    assert.deepStrictEqual(createFaults("StatefulSet", claimed), [
      "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
      "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value"
    ])
    assert.deepStrictEqual(updateFaults("StatefulSet", claimed, claimed), [])
  })

  it("name their strategy", () => {
    const faults = (updateStrategy: object) => createFaults("StatefulSet", { spec: { ...spec, updateStrategy } })
    assert.deepStrictEqual(faults({ type: "Never" }), [
      `spec.updateStrategy: Invalid value: {"Type":"Never","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`
    ])
    assert.deepStrictEqual(faults({ type: "OnDelete", rollingUpdate: { partition: 1 } }), [
      `spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`
    ])
  })
})

describe("classes", () => {
  it("allow each topology once", () => {
    const faults = (...allowedTopologies: ReadonlyArray<object>) =>
      createFaults("StorageClass", { provisioner: "e.io/p", allowedTopologies })
    const term = { matchLabelExpressions: [{ key: "a", values: ["b", "b"] }] }
    assert.deepStrictEqual(faults(term, { matchLabelExpressions: [{ key: "a", values: ["b"] }] }), [
      'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "b"',
      'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'
    ])
    assert.deepStrictEqual(faults({}), ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'])
  })

  it("keep parameters, also those with an empty value", () => {
    const attributes = (parameters: object) => ({ driverName: "e.io", parameters })
    assert.deepStrictEqual(
      updateFaults("VolumeAttributesClass", attributes({ a: "b", c: "" }), attributes({ a: "b" })),
      ["parameters: Forbidden: updates to parameters are forbidden."]
    )
  })

  it("have any finalizer and each toleration once if they are of runtimes", () => {
    const metadata = { name: "a", finalizers: ["text"] }
    assert.deepStrictEqual(createFaults("RuntimeClass", { metadata, handler: "h" }), [])
    const toleration = { key: "k", operator: "Exists" }
    const scheduling = { tolerations: [toleration, { ...toleration, tolerationSeconds: 1, effect: "" }] }
    assert.deepStrictEqual(createFaults("RuntimeClass", { handler: "h", scheduling }).slice(1), [
      'scheduling.tolerations[1]: Duplicate value: {"Key":"k","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":1}'
    ])
  })
})

describe("claims", () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } }
  const cases: ReadonlyArray<readonly [spec: object, faults: ReadonlyArray<string>]> = [
    [{ accessModes: ["ReadWriteOncePod", "ReadWriteOncePod"] }, []],
    [
      { accessModes: ["ReadWriteOncePod", "ReadOnlyMany"] },
      ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"]
    ],
    [
      { dataSource: { kind: "K", name: "" } },
      [
        "spec.dataSource.name: Required value",
        "spec.dataSource: Invalid value: \"K\": must be 'PersistentVolumeClaim' when referencing the default apiGroup"
      ]
    ],
    [
      {
        dataSource: { apiGroup: "e.io", kind: "K", name: "a" },
        dataSourceRef: { apiGroup: "e.io", kind: "K", name: "b" }
      },
      ["spec: Invalid value: {}: must match dataSourceRef"]
    ]
  ]
  for (const [more, faults] of cases) {
    it(`check ${JSON.stringify(more)}`, () => {
      assert.deepStrictEqual(createFaults("PersistentVolumeClaim", { spec: { ...spec, ...more } }), faults)
    })
  }

  it("shrink to no less than what they have", () => {
    const bound = { spec, status: { phase: "Bound", capacity: { storage: "1Gi" } } }
    const shrunk = { ...bound, spec: { ...spec, resources: { requests: { storage: "1Gi" } } } }
    assert.deepStrictEqual(updateFaults("PersistentVolumeClaim", shrunk, bound), [
      "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"
    ])
  })
})

describe("conditions", () => {
  it("have a type, a status, a time and a reason", () => {
    const errors = new ErrorList()
    const good = { type: "A", status: "True", reason: "B", lastTransitionTime: "2026-01-01T00:00:00Z" } as const
    checkConditions(errors, [good, good, { type: "", status: "x" as never, reason: "-" }], "c")
    assert.deepStrictEqual(
      errors.all.map(({ field, type }) => `${field} ${type}`),
      [
        "c[1].type FieldValueDuplicate",
        "c[2].type FieldValueInvalid",
        "c[2].type FieldValueInvalid",
        "c[2].status FieldValueNotSupported",
        "c[2].lastTransitionTime FieldValueRequired",
        "c[2].reason FieldValueInvalid"
      ]
    )
  })

  it("are checked in the status of a budget", () => {
    const counts = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: -1, expectedPods: 0 }
    assert.deepStrictEqual(
      statusFaults("PodDisruptionBudget", { ...counts, conditions: [{ type: "A", status: "True" }] }),
      [
        "status.conditions[0].lastTransitionTime: Required value",
        "status.conditions[0].reason: Required value",
        "status.desiredHealthy: Invalid value: -1: must be greater than or equal to 0"
      ]
    )
  })
})
