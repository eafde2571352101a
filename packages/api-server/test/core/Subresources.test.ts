import { assert, describe, it } from "@effect/vitest"
import type { KindName, KubeObject, PodDisruptionBudget, Status } from "@rollcall/api"
import { makeTestServer, pod, type TestServer } from "./testServer.ts"

const createSubresource = (subresource: "binding" | "eviction", object: unknown, name = "p") =>
  ({ verb: "create", kind: "Pod", namespace: "default", name, subresource, object }) as const

const binding = (target: string, metadata: object = {}) => ({
  metadata: { name: "p", ...metadata },
  target: { apiVersion: "v1", kind: "Node", name: target }
})

describe("binding", () => {
  it("puts a pod on a node once", () => {
    const testServer = makeTestServer()
    const created = testServer.create("Pod", pod("p", {}, { annotations: { kept: "1" } }))
    const status = testServer.ask(createSubresource("binding", binding("n", { annotations: { added: "2" } }))) as Status
    assert.deepInclude(status, { kind: "Status", status: "Success", code: 201 })
    const bound = testServer.get("Pod", "p")
    assert.strictEqual(bound?.spec.nodeName, "n")
    assert.deepStrictEqual(bound?.metadata.annotations, { kept: "1", added: "2" })
    assert.strictEqual(bound?.metadata.generation, created.metadata.generation)
    assert.deepStrictEqual(bound?.status?.conditions, [
      { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" }
    ])
    assert.strictEqual(
      testServer.refusalOf(createSubresource("binding", binding("m"))).message,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"'
    )
  })

  it("refuses a pod that is deleted, gated, missing or of another uid", () => {
    const testServer = makeTestServer()
    const refusal = (object: unknown, name?: string) =>
      testServer.refusalOf(createSubresource("binding", object, name)).message ?? ""
    const named = (name: string, metadata: object = {}) => binding("n", { name, ...metadata })
    assert.strictEqual(refusal(binding("n")), 'pods "p" not found')
    testServer.create("Pod", pod("p", { schedulingGates: [{ name: "a.io/b" }] }))
    assert.match(refusal(binding("n")), /pod p has non-empty .spec.schedulingGates$/)
    assert.match(refusal(binding("n"), "q"), /name in URL does not match name in Binding object/)
    assert.match(refusal(named("q"), "q"), /not found/)
    testServer.create("Pod", pod("going", {}, { finalizers: ["a.io/b"] }))
    testServer.ask({ verb: "delete", kind: "Pod", namespace: "default", name: "going" })
    assert.match(refusal(named("going"), "going"), /pod going is being deleted, cannot be assigned to a host$/)
    testServer.create("Pod", pod("other"))
    assert.match(refusal(named("other", { uid: "zz" }), "other"), /Precondition failed: UID in precondition: zz/)
    assert.match(refusal({ metadata: { name: "other" }, target: { name: "" } }, "other"), /target.name: Required value/)
  })
})

describe("scale", () => {
  const set = (testServer: TestServer) =>
    testServer.create("ReplicaSet", {
      metadata: { name: "r", namespace: "default" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
      }
    })
  const address = { kind: "ReplicaSet", namespace: "default", name: "r", subresource: "scale" } as const

  it("reads and writes the replicas of a set", () => {
    const testServer = makeTestServer()
    const { uid = "" } = set(testServer).metadata
    const scale = testServer.ask({ verb: "get", ...address }) as KubeObject & {
      readonly spec: object
      readonly status: object
    }
    assert.deepInclude(scale, {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
      status: { replicas: 0, selector: "a=b" }
    })
    assert.strictEqual(scale.metadata.uid, uid)
    const patched = testServer.ask({ verb: "patch", ...address, patchType: "merge", body: { spec: { replicas: 5 } } })
    assert.deepInclude(patched, { spec: { replicas: 5 } })
    const current = testServer.get("ReplicaSet", "r")
    assert.deepStrictEqual([current?.spec.replicas, current?.metadata.generation], [5, 2])
    // The Scale that was read before is stale now.
    const stale = testServer.refusalOf({ verb: "update", ...address, object: { ...scale, spec: { replicas: 1 } } })
    assert.strictEqual(stale.reason, "Conflict")
    const { resourceVersion: _, ...metadata } = scale.metadata
    testServer.ask({ verb: "update", ...address, object: { ...scale, metadata, spec: { replicas: 1 } } })
    assert.strictEqual(testServer.get("ReplicaSet", "r")?.spec.replicas, 1)
  })

  it("is validated as the set is, and exists for sets only", () => {
    const testServer = makeTestServer()
    set(testServer)
    const refused = testServer.refusalOf({
      verb: "patch",
      ...address,
      patchType: "merge",
      body: { spec: { replicas: -1 } }
    })
    assert.match(refused.message ?? "", /spec.replicas: Invalid value: -1/)
    testServer.create("Pod", pod("p"))
    assert.strictEqual(
      testServer.refusalOf({ verb: "get", kind: "Pod", namespace: "default", name: "p", subresource: "scale" }).code,
      404
    )
    assert.strictEqual(
      testServer.refusalOf({ verb: "get", kind: "Pod", namespace: "default", name: "p", subresource: "binding" }).code,
      405
    )
  })
})

describe("eviction", () => {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }
  const running = (testServer: TestServer, name = "p", ready = "True") => {
    testServer.create("Pod", pod(name, { nodeName: "n" }, { labels: { app: "x" } }))
    const body = { status: { phase: "Running", conditions: [{ type: "Ready", status: ready }] } }
    testServer.ask({
      verb: "patch",
      kind: "Pod",
      namespace: "default",
      name,
      subresource: "status",
      patchType: "strategic",
      body
    })
  }
  const budget = (testServer: TestServer, disruptionsAllowed: number, name = "b") => {
    const address = { kind: "PodDisruptionBudget", namespace: "default", name } as const
    testServer.create("PodDisruptionBudget", {
      metadata: { name, namespace: "default" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } }
    })
    const status = { observedGeneration: 1, disruptionsAllowed, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 }
    testServer.ask({ verb: "patch", ...address, subresource: "status", patchType: "merge", body: { status } })
  }

  it("uses the budget, explains refusals, and deletes gracefully", () => {
    const testServer = makeTestServer()
    running(testServer)
    budget(testServer, 1)
    const status = testServer.ask(createSubresource("eviction", eviction)) as Status
    assert.deepInclude(status, { status: "Success", code: 201 })
    const { metadata, status: podStatus } = testServer.get("Pod", "p") ?? {}
    assert.strictEqual(metadata?.deletionTimestamp, "2026-01-01T00:00:30Z")
    assert.deepInclude(podStatus?.conditions?.at(-1), { type: "DisruptionTarget", reason: "EvictionByEvictionAPI" })
    const spent = testServer.get("PodDisruptionBudget", "b") as PodDisruptionBudget
    assert.deepStrictEqual(spent.status?.disruptedPods, { p: "2026-01-01T00:00:00Z" })
    assert.strictEqual(spent.status?.disruptionsAllowed, 0)
  })

  it("changes nothing when the budget refuses, nor on a dry run", () => {
    const testServer = makeTestServer()
    running(testServer)
    budget(testServer, 0)
    const before = testServer.server.revision()
    const refused = testServer.refusalOf(createSubresource("eviction", eviction))
    assert.deepInclude(refused, { code: 429, reason: "TooManyRequests" })
    assert.deepStrictEqual(refused.details?.causes, [
      { reason: "DisruptionBudget", message: "The disruption budget b needs 2 healthy pods and has 2 currently" }
    ])
    budget(testServer, 1, "c")
    assert.strictEqual(testServer.refusalOf(createSubresource("eviction", eviction)).code, 500)
    testServer.ask({ verb: "delete", kind: "PodDisruptionBudget", namespace: "default", name: "b" })
    const dry = { ...eviction, deleteOptions: { dryRun: ["All"] } }
    const between = testServer.server.revision()
    assert.strictEqual((testServer.ask(createSubresource("eviction", dry)) as Status).status, "Success")
    assert.strictEqual(testServer.server.revision(), between)
    assert.isAbove(between, before)
  })

  it("takes the version of an unready pod in place of the caller's", () => {
    const testServer = makeTestServer()
    running(testServer)
    budget(testServer, 1)
    const stale = { ...eviction, deleteOptions: { preconditions: { resourceVersion: "1" } } }
    assert.strictEqual(testServer.refusalOf(createSubresource("eviction", stale)).code, 409)
    running(testServer, "q", "False")
    const unready = createSubresource("eviction", { ...stale, metadata: { name: "q" } }, "q")
    assert.strictEqual((testServer.ask(unready) as Status).status, "Success")
  })
})

describe("status", () => {
  it("gets the defaults of the object that is sent, not of the stored one", () => {
    const testServer = makeTestServer()
    const spec = { type: "LoadBalancer" as const, ports: [{ port: 80 }] }
    testServer.create("Service", { metadata: { name: "s", namespace: "default" }, spec })
    const put = (type?: object) =>
      ({
        verb: "update",
        kind: "Service",
        subresource: "status",
        namespace: "default",
        name: "s",
        object: { metadata: { name: "s" }, ...type, status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }
      }) as const
    assert.strictEqual(
      testServer.refusalOf(put()).message,
      'Service "s" is invalid: status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set'
    )
    testServer.ask(put({ spec }))
    assert.deepStrictEqual(testServer.get("Service", "s")?.status?.loadBalancer?.ingress, [
      { ip: "1.2.3.4", ipMode: "VIP" }
    ])
  })

  it("moves no more of the metadata than its kind lets it", () => {
    const described = { labels: { a: "b" }, finalizers: ["example.com/f"] }
    const deleted = { deletionTimestamp: "2021-03-04T05:06:07Z", deletionGracePeriodSeconds: 3 }
    const patchOf = (kind: KindName, metadata: object) =>
      ({
        verb: "patch",
        kind,
        namespace: "default",
        name: "s",
        subresource: "status",
        patchType: "merge",
        body: { metadata }
      }) as const
    const created = (kind: KindName, spec: object) => {
      const testServer = makeTestServer()
      testServer.create(kind, { metadata: { name: "s", namespace: "default" }, spec } as never)
      const { metadata } = testServer.ask(patchOf(kind, described)) as KubeObject
      return { testServer, moved: [metadata.labels, metadata.finalizers] }
    }
    const limited = { type: "Limited", limited: { limitResponse: { type: "Reject" } } }
    const whole = created("PriorityLevelConfiguration", limited)
    assert.deepStrictEqual(whole.moved, [undefined, undefined])
    const { metadata } = whole.testServer.ask(patchOf("PriorityLevelConfiguration", deleted)) as KubeObject
    assert.isUndefined(metadata.deletionTimestamp)

    const immutable = "metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable"
    const claim = created("ResourceClaim", {})
    assert.deepStrictEqual(claim.moved, [undefined, undefined])
    const refusal = claim.testServer.refusalOf(patchOf("ResourceClaim", deleted)).message
    assert.strictEqual(refusal, `ResourceClaim.resource.k8s.io "s" is invalid: ${immutable}`)

    const owned = created("Pod", { containers: [{ name: "c", image: "i" }] })
    assert.deepStrictEqual(owned.moved, [described.labels, described.finalizers])
    const ofPod = owned.testServer.refusalOf(patchOf("Pod", deleted)).message
    assert.strictEqual(ofPod, `Pod "s" is invalid: ${immutable}`)
  })

  it("of a CronJob is not checked, nor is the form of a finalizer", () => {
    const testServer = makeTestServer()
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } }
    const spec = { schedule: "* * * * *", jobTemplate: { spec: { template } } }
    testServer.create("CronJob", { metadata: { name: "c", namespace: "default" }, spec } as never)
    const { metadata } = testServer.ask({
      verb: "patch",
      kind: "CronJob",
      namespace: "default",
      name: "c",
      subresource: "status",
      patchType: "merge",
      body: { metadata: { finalizers: ["bad"] } }
    }) as KubeObject
    assert.deepStrictEqual(metadata.finalizers, ["bad"])
  })
})
