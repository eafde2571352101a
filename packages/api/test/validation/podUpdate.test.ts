import { assert, describe, it } from "vitest"
import { defaultPod, type Pod, type PodSpec } from "../../src/index.ts"
import { noErrors } from "../../src/validation/FieldError.ts"
import { fieldErrorText, validatePod } from "../../src/validation/index.ts"
import { validatePodUpdate } from "../../src/validation/pod.ts"

const podOf = (spec: Partial<PodSpec>): Pod =>
  defaultPod({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "d", uid: "u", resourceVersion: "1" },
    spec: { containers: [{ name: "c", image: "i" }], ...spec }
  })

const updateFaults = (before: Partial<PodSpec>, after: Partial<PodSpec>): ReadonlyArray<string> =>
  validatePodUpdate(podOf(after), podOf(before)).map((error) => fieldErrorText(error).replace(/\n[\s\S]*$/, " …"))

const ONLY_IMAGE_MAY_CHANGE =
  "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative) …"

const gatedSpec = { schedulingGates: [{ name: "example.com/a" }] }
const zoneRequirement = { key: "zone", operator: "In" as const, values: ["a"] }
const zoneTerm = { matchExpressions: [zoneRequirement] }
const affinityTo = (...terms: ReadonlyArray<typeof zoneTerm>): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } }
})
const narrowerTerm = { matchExpressions: [zoneRequirement, { ...zoneRequirement, key: "rack" }] }

describe("an update of a pod", () => {
  it("skips validation when nothing changed", () => {
    const pod = podOf({})
    assert.strictEqual(validatePodUpdate(pod, pod), noErrors)
    assert.strictEqual(validatePodUpdate({ ...pod, metadata: { ...pod.metadata, labels: { a: "b" } } }, pod), noErrors)
  })

  it.each<[string, Partial<PodSpec>, Partial<PodSpec>]>([
    ["an image", {}, { containers: [{ name: "c", image: "j", imagePullPolicy: "Always" }] }],
    ["a deadline where there was none", {}, { activeDeadlineSeconds: 5 }],
    ["a toleration more", {}, { tolerations: [{ key: "a", operator: "Exists" }] }],
    ["a negative grace period to 1", { terminationGracePeriodSeconds: -5 }, { terminationGracePeriodSeconds: 1 }],
    ["its gates away", gatedSpec, {}],
    ["a node selector more, while gated", gatedSpec, { nodeSelector: { zone: "a" } }],
    ["a narrower affinity, while gated", { ...gatedSpec, ...affinityTo(zoneTerm) }, affinityTo(narrowerTerm)],
    ["any affinity where there was none, while gated", gatedSpec, affinityTo(zoneTerm)],
    [
      "the same amount in other words",
      { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1" } } }] },
      { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1000m" } } }] }
    ]
  ])("may bring %s", (_, before, after) => {
    assert.deepStrictEqual(updateFaults(before, after), [])
  })

  it.each<[string, Partial<PodSpec>, Partial<PodSpec>, ReadonlyArray<string>]>([
    ["another priority", {}, { priority: 5 }, [ONLY_IMAGE_MAY_CHANGE]],
    ["a node selector, once it is not gated", {}, { nodeSelector: { zone: "a" } }, [ONLY_IMAGE_MAY_CHANGE]],
    [
      "a negative grace period to 2",
      { terminationGracePeriodSeconds: -5 },
      { terminationGracePeriodSeconds: 2 },
      [ONLY_IMAGE_MAY_CHANGE]
    ],
    [
      "a container more",
      {},
      {
        containers: [
          { name: "c", image: "i" },
          { name: "d", image: "i" }
        ]
      },
      ["spec.containers: Forbidden: pod updates may not add or remove containers"]
    ],
    [
      "a toleration less",
      { tolerations: [{ key: "a", operator: "Exists" }] },
      {},
      ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"]
    ],
    [
      "a gate more",
      gatedSpec,
      { schedulingGates: [{ name: "example.com/a" }, { name: "example.com/b" }] },
      [
        "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/b'"
      ]
    ],
    [
      "another node selector, while gated",
      { ...gatedSpec, nodeSelector: { zone: "a" } },
      { nodeSelector: { zone: "b" } },
      [
        'spec.nodeSelector: Invalid value: {"zone":"b"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)'
      ]
    ],
    [
      "a wider affinity, while gated",
      { ...gatedSpec, ...affinityTo(zoneTerm) },
      affinityTo(zoneTerm, zoneTerm),
      [
        `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid value: ${JSON.stringify(
          [zoneTerm, zoneTerm].map(() => ({
            MatchExpressions: [{ Key: "zone", Operator: "In", Values: ["a"] }],
            MatchFields: null
          }))
        )}: no additions/deletions to non-empty NodeSelectorTerms list are allowed`
      ]
    ]
  ])("may not bring %s", (_, before, after, faults) => {
    assert.deepStrictEqual(updateFaults(before, after), faults)
  })

  it("names the field that must not change", () => {
    const [error] = validatePodUpdate(podOf({ priority: 5 }), podOf({}))
    assert.match(error?.detail ?? "", /\n- +"Priority": null,\n\+ +"Priority": 5,\n/)
  })

  it("cannot make a mirror pod an ordinary one", () => {
    const pod = podOf({ nodeName: "n" })
    const mirror = { ...pod, metadata: { ...pod.metadata, annotations: { "kubernetes.io/config.mirror": "x" } } }
    const at = "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not"
    assert.deepStrictEqual(validatePodUpdate(mirror, pod).map(fieldErrorText), [`${at} add mirror pod annotation`])
    assert.deepStrictEqual(validatePodUpdate(pod, mirror).map(fieldErrorText), [
      `${at} remove or update mirror pod annotation`
    ])
  })
})

describe("a new pod", () => {
  it("reports a name shared with an init container at the init container", () => {
    const pod = podOf({ initContainers: [{ name: "c", image: "i" }] })
    assert.deepStrictEqual(validatePod(pod).map(fieldErrorText), ['spec.initContainers[0].name: Duplicate value: "c"'])
  })

  it("may probe a sidecar but not an ordinary init container", () => {
    const probe = { tcpSocket: { port: 80 } }
    const init = { name: "s", image: "i", livenessProbe: probe }
    assert.deepStrictEqual(validatePod(podOf({ initContainers: [{ ...init, restartPolicy: "Always" }] })), noErrors)
    assert.deepStrictEqual(validatePod(podOf({ initContainers: [init] })).map(fieldErrorText), [
      "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"
    ])
  })

  it("may have a body without a spec", () => {
    const { spec: _, ...bare } = podOf({})
    const fields = validatePod(bare as Pod).map(({ field }) => field)
    assert.includeMembers([...fields], ["spec.containers", "spec.restartPolicy", "spec.dnsPolicy"])
  })
})
