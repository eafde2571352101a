import { assert, describe, it } from "@effect/vitest"
import { type Configuration, noExemptions, policyOf, privilegedPolicy } from "@rollcall/pod-security"
import { isSteps, layerWallClock, MetricSet, runAllSteps } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { decideInSteps } from "../../src/admission/podSecurity/decideInSteps.ts"
import { PodSecurityMetrics } from "../../src/admission/podSecurity/PodSecurityMetrics.ts"
import { podSecurity } from "../../src/admission/podSecurity/plugin.ts"
import type { AdmissionAttributes, AdmissionContext, AuditRecord } from "../../src/core/index.ts"
import { type RunningServer, startServer } from "../http/startServer.ts"

const prefix = "pod-security.kubernetes.io/"

type Labels = Readonly<Record<string, string>>

const prefixed = (labels: Labels) =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${prefix}${key}`, value]))

const privileged = { name: "c", image: "i", securityContext: { privileged: true } }

const podOf = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [privileged], ...spec }
})

const plain = { containers: [{ name: "c", image: "i" }] }

const restrictedDetail =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
const privilegedDetail = 'privileged (container "c" must not set securityContext.privileged=true)'
const allReasons = "allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile"

const configuration: Configuration = {
  defaults: policyOf(
    prefixed({ enforce: "baseline", "enforce-version": "v1.30", audit: "restricted", warn: "privileged" })
  ).policy,
  exemptions: { usernames: ["kate"], runtimeClasses: ["kata"], namespaces: ["free"] }
}

const group = "/api/v1/namespaces"

/** A client of a server, and what the audit has noted. */
const clientOf = ({ ask, server }: RunningServer) => {
  const noted: Array<Labels | undefined> = []
  server.setAudit(({ annotations, request }: AuditRecord) => {
    if (request.kind !== "RuntimeClass" && request.kind !== "ServiceAccount") noted.push(annotations)
  })
  /** Returns the code, the message of a refusal, the warnings, and the notes. */
  const send = (method: string, path: string, body: object, headers: Labels = {}) =>
    Effect.map(ask(method, path, { body, headers }), ({ code, headers: answered, json }) => {
      const warnings = String(answered.warning ?? "").split(/, (?=299 )/)
      return {
        code,
        ...(code < 400 ? {} : { message: json.message }),
        ...(answered.warning === undefined ? {} : { warnings: warnings.map((text) => JSON.parse(text.slice(6))) }),
        ...(Object.keys(noted.at(-1) ?? {}).length === 0 ? {} : { noted: noted.at(-1) })
      }
    })
  const merge = { "content-type": "application/merge-patch+json" }
  return {
    send,
    addNamespace: Effect.fnUntraced(function* (name: string, labels: Labels = {}) {
      yield* send("POST", group, { metadata: { name, labels: prefixed(labels) } })
      yield* send("POST", `${group}/${name}/serviceaccounts`, { metadata: { name: "default" } })
    }),
    label: (name: string, labels: Readonly<Record<string, string | null>>) =>
      send("PATCH", `${group}/${name}`, { metadata: { labels: prefixed(labels as Labels) } }, merge),
    pod: (namespace: string, pod: object, headers: Labels = {}) =>
      send("POST", `${group}/${namespace}/pods`, pod, headers),
    kate: { "impersonate-user": "kate", "impersonate-group": "system:masters" }
  }
}

// The answers and notes are those of kube-apiserver v1.36.2 to the same requests.

describe("PodSecurity", () => {
  it.live("exempts users, namespaces and runtime classes, and defaults the levels", () =>
    Effect.gen(function* () {
      const running = yield* startServer({ admission: { podSecurity: configuration } })
      const { addNamespace, kate, label, pod, send } = clientOf(running)
      yield* addNamespace("free")
      yield* addNamespace("def")
      yield* send("POST", "/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "kata" }, handler: "k" })
      const exempt = (why: string) => ({ code: 201, noted: { [`${prefix}exempt`]: why } })
      assert.deepStrictEqual(yield* pod("free", podOf("a")), exempt("namespace"))
      assert.deepStrictEqual(yield* pod("def", podOf("k"), kate), exempt("user"))
      assert.deepStrictEqual(yield* pod("def", podOf("r", { runtimeClassName: "kata" })), exempt("runtimeClass"))
      assert.deepStrictEqual(yield* pod("def", podOf("a")), {
        code: 403,
        message: `pods "a" is forbidden: violates PodSecurity "baseline:v1.30": ${privilegedDetail}`,
        noted: prefixed({
          "audit-violations": `would violate PodSecurity "restricted:latest": ${privilegedDetail}, ${restrictedDetail}`,
          "enforce-policy": "baseline:v1.30"
        })
      })
      assert.deepStrictEqual(yield* pod("def", podOf("ok", plain)), {
        code: 201,
        noted: prefixed({
          "audit-violations": `would violate PodSecurity "restricted:latest": ${restrictedDetail}`,
          "enforce-policy": "baseline:v1.30"
        })
      })
      assert.deepStrictEqual(yield* label("free", { enforce: "restricted", "warn-version": "v1.3" }), {
        code: 200,
        warnings: [
          'namespace "free" is exempt from Pod Security, and the policy (enforce=restricted:v1.30, warn=restricted:v1.3) will be ignored'
        ]
      })
      assert.deepStrictEqual(yield* label("free", { enforce: "privileged" }), { code: 200 })
      assert.deepStrictEqual(yield* label("def", { enforce: "restricted" }), {
        code: 200,
        warnings: [
          'existing pods in namespace "def" violate the new PodSecurity enforce level "restricted:v1.30"',
          `k: privileged, ${allReasons}`,
          `ok: ${allReasons}`
        ]
      })
    }).pipe(Effect.provide(layerWallClock()))
  )

  it.live("notes and counts what it evaluates", () =>
    Effect.gen(function* () {
      const running = yield* startServer()
      const { addNamespace, label, pod, send } = clientOf(running)
      yield* addNamespace("def")
      assert.deepStrictEqual(yield* pod("def", podOf("a")), {
        code: 201,
        noted: prefixed({ "enforce-policy": "privileged:latest" })
      })
      yield* addNamespace("strict", { enforce: "baseline", "enforce-version": "v1.50", audit: "baseline" })
      assert.strictEqual((yield* pod("strict", podOf("b"))).code, 403)
      assert.strictEqual((yield* pod("strict", podOf("ok", plain))).code, 201)
      const deployment = {
        metadata: { name: "d" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [privileged] } }
        }
      }
      assert.deepStrictEqual(yield* send("POST", "/apis/apps/v1/namespaces/strict/deployments", deployment), {
        code: 201,
        warnings: [`would violate PodSecurity "baseline:v1.50": ${privilegedDetail}`],
        noted: prefixed({ "audit-violations": `would violate PodSecurity "baseline:latest": ${privilegedDetail}` })
      })
      const bad = yield* label("strict", { warn: "x" })
      assert.strictEqual(bad.code, 422)
      const { body } = yield* running.ask("GET", "/metrics")
      const counted = body
        .split("\n")
        .filter((line) => line.startsWith("pod_security") && !line.endsWith(" 0"))
        .map((line) => line.replaceAll(/[a-z_]+="/g, "").replaceAll('"', ""))
      assert.deepStrictEqual(counted.sort(), [
        "pod_security_evaluations_total{allow,enforce,baseline,future,create,pod,} 1",
        "pod_security_evaluations_total{allow,enforce,privileged,latest,create,pod,} 1",
        "pod_security_evaluations_total{deny,audit,baseline,latest,create,controller,} 1",
        "pod_security_evaluations_total{deny,audit,baseline,latest,create,pod,} 1",
        "pod_security_evaluations_total{deny,enforce,baseline,future,create,pod,} 1",
        "pod_security_evaluations_total{deny,warn,baseline,future,create,controller,} 1"
      ])
    }).pipe(Effect.provide(layerWallClock()))
  )
})

type Reader = AdmissionContext["reader"]

const readerOf = (labels: Labels | undefined, pods: ReadonlyArray<object> = []): Reader =>
  ({
    get: () => (labels === undefined ? undefined : { metadata: { labels: prefixed(labels) } }),
    list: () => pods
  }) as unknown as Reader

const attributesOf = (object: object, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes =>
  ({
    verb: "create",
    kind: "Pod",
    resource: { group: "", version: "v1", kind: "Pod", plural: "pods" },
    namespace: "ns",
    name: "p",
    object,
    userInfo: { user: "u", groups: [] },
    dryRun: false,
    ...more
  }) as AdmissionAttributes

const decide = (
  reader: Reader,
  attributes: AdmissionAttributes,
  more: Partial<Parameters<typeof decideInSteps>[0]> = {}
) =>
  runAllSteps(
    decideInSteps({ minor: 36, reader, metrics: new PodSecurityMetrics(undefined), now: () => 0, ...more }, attributes)
  )

const tightened = (level: string) =>
  attributesOf(
    { metadata: { name: "ns", labels: prefixed({ enforce: level }) } },
    { kind: "Namespace", verb: "update", namespace: "", name: "ns", oldObject: { metadata: {} } as never }
  )

const numbered = (count: number, uid?: string) =>
  Array.from({ length: count }, (_, index) => ({
    metadata: {
      name: `${uid ?? "p"}-${String(index).padStart(5, "0")}`,
      ...(uid === undefined ? {} : { ownerReferences: [{ uid, controller: true }] })
    },
    spec: { containers: [privileged] }
  }))

describe("an update", () => {
  const update = (before: object, after: object) =>
    decide(
      readerOf({ enforce: "restricted" }),
      attributesOf(podOf("p", after), { verb: "update", oldObject: podOf("p", before) as never })
    ).refusal !== undefined

  const c = (name: string, image: string) => ({ name, image })

  it("of a pod is evaluated if it changes an image, or adds a container", () => {
    const before = {
      containers: [c("a", "1")],
      initContainers: [c("i", "1")],
      ephemeralContainers: [c("e", "1"), c("f", "1")]
    }
    assert.isFalse(update(before, before))
    assert.isFalse(update(before, { ...before, ephemeralContainers: [c("f", "1"), c("e", "1")], hostname: "h" }))
    assert.isTrue(update(before, { ...before, containers: [c("a", "2")] }))
    assert.isTrue(update(before, { ...before, initContainers: [c("i", "2")] }))
    assert.isTrue(update(before, { ...before, ephemeralContainers: [c("e", "2"), c("f", "1")] }))
    assert.isTrue(update(before, { ...before, ephemeralContainers: [...before.ephemeralContainers, c("g", "1")] }))
  })

  it("of a namespace is refused only for errors that it makes, and looks at pods if the version changes", () => {
    const relabel = (before: Labels, after: Labels) =>
      decide(
        readerOf({}, numbered(1)),
        attributesOf(
          { metadata: { name: "ns", labels: prefixed(after) } },
          {
            kind: "Namespace",
            verb: "update",
            name: "ns",
            oldObject: { metadata: { labels: prefixed(before) } } as never
          }
        )
      )
    assert.isUndefined(relabel({ enforce: "x" }, { enforce: "x" }).refusal)
    assert.isDefined(relabel({ enforce: "x" }, { enforce: "y" }).refusal)
    assert.isDefined(relabel({ enforce: "x" }, { enforce: "x", warn: "y" }).refusal)
    const baseline = { enforce: "baseline", "enforce-version": "v1.30" }
    assert.isUndefined(relabel({ ...baseline, enforce: "restricted" }, baseline).warnings)
    assert.lengthOf(relabel({ ...baseline, "enforce-version": "v1.31" }, baseline).warnings ?? [], 2)
  })
})

describe("the scan of a namespace", () => {
  it("evaluates 3,000 pods at most", () => {
    assert.deepStrictEqual(decide(readerOf({}, numbered(3000)), tightened("baseline")).warnings, [
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      "p-00000 (and 2999 other pods): privileged"
    ])
    assert.deepStrictEqual(decide(readerOf({}, numbered(3001)), tightened("baseline")).warnings, [
      "new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods",
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      "p-00000 (and 2999 other pods): privileged"
    ])
  })

  it("takes one second at most", () => {
    let now = 0
    const warnings = (perPodMs: number) => {
      now = -perPodMs
      const clock = () => {
        now += perPodMs
        return now
      }
      return decide(readerOf({}, numbered(11)), tightened("baseline"), { now: clock }).warnings?.[0]
    }
    assert.include(warnings(90), "existing pods in namespace")
    assert.strictEqual(
      warnings(100),
      "new PodSecurity enforce level only checked against the first 10 of 11 existing pods"
    )
  })

  it("evaluates one pod of each controller before the others", () => {
    const [solo] = numbered(1)
    const pods = [...numbered(2999, "a"), ...numbered(2, "b"), solo as object]
    const { warnings } = decide(readerOf({}, pods), tightened("baseline"))
    assert.strictEqual(warnings?.[2], "a-00000 (and 2999 other pods): privileged")
    assert.include(warnings?.[0], "first 3000 of 3002")
  })
})

describe("a decision", () => {
  it("of a pod without its namespace is an error, of a workload a note", () => {
    const { annotations, refusal } = decide(readerOf(undefined), attributesOf(podOf("p")))
    assert.strictEqual(refusal?.message, 'Internal error occurred: failed to lookup namespace "ns"')
    assert.deepStrictEqual(annotations, { error: 'Internal error occurred: failed to lookup namespace "ns"' })
    const workload = decide(readerOf(undefined), attributesOf({ metadata: {}, spec: {} }, { kind: "Deployment" }))
    assert.isUndefined(workload.refusal)
    assert.strictEqual(workload.annotations?.error, 'failed to lookup namespace "ns"')
  })

  it("by labels that are stored although they have errors is strict, and notes the errors", () => {
    const { annotations, refusal } = decide(readerOf({ enforce: "x" }), attributesOf(podOf("p")))
    assert.include(refusal?.message, 'violates PodSecurity "restricted:latest": privileged')
    assert.strictEqual(
      annotations?.error,
      `Failed to parse policy: metadata.labels[${prefix}enforce]: Invalid value: "x": must be one of privileged, baseline, restricted`
    )
  })

  it("of a server of an older release has no newer checks", () => {
    const probing = podOf("p", { containers: [{ name: "c", livenessProbe: { httpGet: { host: "h" } } }] })
    assert.isDefined(decide(readerOf({ enforce: "baseline" }), attributesOf(probing)).refusal)
    assert.isUndefined(decide(readerOf({ enforce: "baseline" }), attributesOf(probing), { minor: 33 }).refusal)
  })

  it("notes violations of a workload where only the audit has a level", () => {
    const attributes = attributesOf({ metadata: {}, spec: { template: podOf("p") } }, { kind: "Deployment" })
    const { annotations, warnings } = decide(readerOf({ audit: "baseline" }), attributes)
    assert.strictEqual(
      annotations?.["audit-violations"],
      `would violate PodSecurity "baseline:latest": ${privilegedDetail}`
    )
    assert.isUndefined(warnings)
  })

  it("is none for a workload without a template", () => {
    const attributes = attributesOf({ metadata: {}, spec: { replicas: 1 } }, { kind: "ReplicationController" })
    assert.deepStrictEqual(decide(readerOf({ warn: "restricted" }), attributes), {})
  })
})

describe("the plugin", () => {
  const source = { metrics: { set: new MetricSet(), now: () => 0 } } as never
  const pluginOf = (options: Parameters<typeof podSecurity>[0] = {}) => podSecurity(options, source)[0]
  const validate = (labels: Labels | undefined, options = {}, attributes = attributesOf(podOf("p"))) =>
    pluginOf(options)?.validate?.(attributes, { reader: readerOf(labels) } as AdmissionContext)

  it("loads no checks for pods of namespaces without labels", () => {
    assert.isUndefined(validate({}))
    assert.isUndefined(validate({}, {}, attributesOf({ metadata: {}, spec: {} }, { kind: "Job" })))
    assert.isTrue(isSteps(validate({ enforce: "privileged" })))
    assert.isTrue(isSteps(validate({}, { podSecurity: { defaults: privilegedPolicy, exemptions: noExemptions } })))
  })

  it("handles what can change the containers of pods", () => {
    const admits = (kind: never, verb: "create" | "update" | "delete", subresource?: never) =>
      pluginOf()?.admits(kind, verb, subresource)
    const subresources = [undefined, "ephemeralcontainers", "resize", "status", "binding", "eviction"]
    assert.deepStrictEqual(
      subresources.map((subresource) => admits("Pod" as never, "update", subresource as never)),
      [true, true, true, false, false, false]
    )
    for (const kind of ["CronJob", "PodTemplate", "Namespace"]) assert.isTrue(admits(kind as never, "create"))
    assert.isFalse(admits("Deployment" as never, "update", "scale" as never))
    assert.isFalse(admits("Namespace" as never, "update", "finalize" as never))
    assert.isFalse(admits("Pod" as never, "delete"))
    assert.isFalse(admits("ConfigMap" as never, "create"))
  })

  it("does not exist in a release without it", () => {
    assert.isUndefined(pluginOf({ release: { podSecurityMinor: undefined } }))
  })
})
