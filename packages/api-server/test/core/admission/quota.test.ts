import { assert, describe, it } from "@effect/vitest"
import { conflict, type KubeObject, type Pod, type ResourceQuota, resourceOf, type Status } from "@rollcall/api"
import { ApiError } from "@rollcall/cluster"
import { layerMemory, Store } from "@rollcall/store"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { resourceQuotaAdmission } from "../../../src/core/admission/ResourceQuota.ts"
import { makeTestServer, type TestServer } from "../testServer.ts"

/** A store that answers writes a moment later, as one on a disk does. */
const layerSlowStore = Layer.effect(
  Store,
  Effect.gen(function* () {
    const store = yield* Store
    const timers = yield* Timers
    return Store.of({ ...store, write: (batch, reply) => void timers.after(5, () => store.write(batch, reply)) })
  })
).pipe(Layer.provide(layerMemory()))

const quotaOf = (name: string, hard: Record<string, string>, used?: Record<string, string>): ResourceQuota => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name, namespace: "default" },
  spec: { hard },
  ...(used === undefined ? {} : { status: { hard, used } })
})

/** Stores a quota with a status, as its controller would. */
const withQuota = (server: TestServer, quota: ResourceQuota) => {
  const { resourceVersion } = server.create("ResourceQuota", quota).metadata
  const object = { ...quota, metadata: { ...quota.metadata, resourceVersion } } as ResourceQuota
  const { name = "", namespace = "" } = quota.metadata
  server.ask({ verb: "update", kind: "ResourceQuota", namespace, name, subresource: "status", object })
}

const usedOf = (server: TestServer, name: string) => server.get("ResourceQuota", name, "default")?.status?.used

const podOf = (name: string, cpu?: string) =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "c", image: "i", ...(cpu && { resources: { requests: { cpu } } }) }] }
  }) satisfies Pod

const createRequest = (pod: Pod, dryRun = false) =>
  ({ verb: "create", kind: "Pod", namespace: "default", object: pod, dryRun }) as const

describe("ResourceQuota", () => {
  it("counts what is created, and refuses what is too much", () => {
    const server = makeTestServer()
    withQuota(server, quotaOf("q", { pods: "2", "requests.cpu": "1" }, { pods: "0", "requests.cpu": "0" }))
    server.create("Pod", podOf("a", "600m"))
    assert.deepStrictEqual(usedOf(server, "q"), { pods: "1", "requests.cpu": "600m" })
    const { code, message } = server.refusalOf(createRequest(podOf("b", "500m")))
    assert.strictEqual(code, 403)
    assert.strictEqual(
      message,
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1'
    )
    assert.deepStrictEqual(usedOf(server, "q"), { pods: "1", "requests.cpu": "600m" })
    assert.match(
      server.refusalOf(createRequest(podOf("c"))).message ?? "",
      /failed quota: q: must specify requests.cpu for: c/
    )
  })

  it("decides a dry run, and records nothing", () => {
    const server = makeTestServer()
    withQuota(server, quotaOf("q", { pods: "1" }, { pods: "0" }))
    server.ask(createRequest(podOf("a"), true))
    assert.deepStrictEqual(usedOf(server, "q"), { pods: "0" })
    server.create("Pod", podOf("a"))
    assert.match(server.refusalOf(createRequest(podOf("b"), true)).message ?? "", /exceeded quota: q/)
  })

  it("counts objects of any kind, and names the first quota that refuses", () => {
    const server = makeTestServer()
    withQuota(
      server,
      quotaOf(
        "a",
        { "count/deployments.apps": "5", configmaps: "1" },
        { "count/deployments.apps": "0", configmaps: "0" }
      )
    )
    withQuota(server, quotaOf("b", { "count/configmaps": "0" }, { "count/configmaps": "0" }))
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", namespace: "default" } } as const
    const { message } = server.refusalOf({ verb: "create", kind: "ConfigMap", namespace: "default", object })
    assert.match(message ?? "", /exceeded quota: b, requested: count\/configmaps=1/)
    assert.deepStrictEqual(usedOf(server, "a"), { "count/deployments.apps": "0", configmaps: "0" })
  })

  it("waits for a quota's status", () => {
    const server = makeTestServer()
    server.create("ResourceQuota", quotaOf("q", { pods: "1" }))
    server.create("Pod", podOf("before"))
    withQuota(server, quotaOf("r", { pods: "1" }, {}))
    assert.match(
      server.refusalOf(createRequest(podOf("b"))).message ?? "",
      /status unknown for quota: r, resources: pods/
    )
  })

  it("refuses what it fails to decide, tells of the error, and decides what comes later", () => {
    const object = podOf("a")
    let isBroken = true
    const quota = { ...quotaOf("q", { pods: "2" }), status: { hard: { pods: "2" }, used: { pods: "0" } } }
    const context = {
      reader: {
        get: () => undefined,
        list: () => [quota] as ReadonlyArray<KubeObject> as ReadonlyArray<never>,
        observe: () => undefined
      },
      updateStatus: (_: KubeObject, done: (result: Result.Result<KubeObject, Status>) => void) => {
        pending.push(() =>
          done(
            isBroken
              ? Result.fail(conflict({ group: "", resource: "resourcequotas" }, "q", "changed"))
              : Result.succeed(quota)
          )
        )
      },
      now: () => {
        if (isBroken && asked++ > 0) throw new Error("by hand")
        return 0
      },
      makeName: (base: string) => base
    }
    let asked = 0
    const pending: Array<() => void> = []
    const plugin = resourceQuotaAdmission()
    const attributes = {
      verb: "create",
      kind: "Pod",
      resource: resourceOf("Pod"),
      subresource: undefined,
      namespace: "default",
      name: "a",
      object,
      oldObject: undefined,
      userInfo: { user: "a", groups: [] },
      dryRun: false
    } as const
    const answers: Array<number | undefined> = []
    const ask = () => plugin.reserve?.(attributes, context, (refusal) => answers.push(refusal?.code))
    ask()
    ask()
    // The write of the quota conflicts, and deciding anew fails, for the first request and then for the one that waited.
    assert.throws(() => pending.shift()?.(), "by hand")
    isBroken = false
    ask()
    pending.shift()?.()
    assert.deepStrictEqual(answers, [500, 500, undefined])
  })

  it("never lets requests that arrive together exceed it", () => {
    const server = makeTestServer({ store: layerSlowStore })
    withQuota(server, quotaOf("q", { pods: "3" }, { pods: "0" }))
    const codes: Array<number | undefined> = []
    for (let number = 0; number < 10; number++) {
      server.connection.send(createRequest(podOf(`p${number}`)), (result) => {
        codes.push(Result.isSuccess(result) ? 201 : result.failure instanceof ApiError ? result.failure.status.code : 0)
      })
    }
    server.advance(10_000)
    assert.deepStrictEqual(codes.sort(), [201, 201, 201, ...Array.from({ length: 7 }, () => 403)])
    assert.deepStrictEqual(usedOf(server, "q"), { pods: "3" })
    assert.strictEqual(server.list("Pod").items.length, 3)
  })

  it("counts only the nodeports that a Service adds", () => {
    const server = makeTestServer()
    withQuota(
      server,
      quotaOf("q", { services: "1", "services.nodeports": "2" }, { services: "0", "services.nodeports": "0" })
    )
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s", namespace: "default" },
      spec: { type: "NodePort", ports: [{ port: 80 }] }
    }
    const made = server.create("Service", service)
    const ports = [80, 81].map((port) => ({ name: `p${port}`, port, protocol: "TCP" as const }))
    const object = { ...made, spec: { ...made.spec, ports } }
    server.ask({ verb: "update", kind: "Service", namespace: "default", name: "s", object })
    assert.deepStrictEqual(usedOf(server, "q"), { services: "1", "services.nodeports": "2" })
  })
})

describe("a quota of devices", () => {
  const perClass = "gpu.deviceclass.resource.k8s.io/devices"
  const asExtended = "requests.deviceclass.resource.kubernetes.io/gpu"
  const none = { [perClass]: "0", [asExtended]: "0", "count/resourceclaims.resource.k8s.io": "0" }
  const usedBy = (requests: ReadonlyArray<object>) => {
    const server = makeTestServer()
    withQuota(server, quotaOf("q", { ...none, [perClass]: "9", [asExtended]: "9", ...counts }, none))
    const metadata = { name: "c", namespace: "default" }
    server.create("ResourceClaim", { metadata, spec: { devices: { requests: requests as never } } })
    const { [perClass]: devices, [asExtended]: extended } = usedOf(server, "q") ?? {}
    return [devices, extended]
  }
  const counts = { "count/resourceclaims.resource.k8s.io": "1" }
  const exactly = (count: number, deviceClassName = "gpu") => ({ deviceClassName, count })

  it("adds the requests of a claim, of each class", () => {
    const requests = [3, 2].map((count) => ({ name: `r${count}`, exactly: exactly(count) }))
    assert.deepStrictEqual(usedBy([...requests, { name: "o", exactly: exactly(4, "other") }]), ["5", "5"])
  })
  it("counts the alternative with the most devices", () => {
    const firstAvailable = [exactly(2), exactly(4), exactly(7, "other")].map((each, at) => ({
      name: `s${at}`,
      ...each
    }))
    assert.deepStrictEqual(usedBy([{ name: "r", firstAvailable }]), ["4", "4"])
  })
  describe("by the name that pods request", () => {
    const named = "requests.example.com/gpu"
    const annotations = { "resource.kubernetes.io/extended-resource-claim": "true" }
    const deviceClass = (name: string, extendedResourceName?: string) => ({
      metadata: { name },
      spec: extendedResourceName === undefined ? {} : { extendedResourceName }
    })
    const claimOf = (name: string, metadata: object = {}) => ({
      metadata: { name, namespace: "default", ...metadata },
      spec: { devices: { requests: [{ name: "r", exactly: exactly(2) }] } }
    })
    const withClass = (extendedResourceName?: string) => {
      const server = makeTestServer()
      server.create("DeviceClass", deviceClass("gpu", extendedResourceName))
      const all = { [named]: "9", [asExtended]: "9", [perClass]: "9" }
      withQuota(server, quotaOf("q", all, { [named]: "0", [asExtended]: "0", [perClass]: "0" }))
      const create = (name: string, metadata?: object) => {
        server.create("ResourceClaim", claimOf(name, metadata) as never)
        const used = usedOf(server, "q") ?? {}
        return [used[perClass], used[asExtended], used[named]]
      }
      return { server, create }
    }

    it("counts the devices of a claim also as what the class names", () => {
      assert.deepStrictEqual(withClass("example.com/gpu").create("c"), ["2", "2", "2"])
      assert.deepStrictEqual(withClass().create("c"), ["2", "2", "0"])
    })
    it("matches a claim by nothing but that name", () => {
      const server = makeTestServer()
      server.create("DeviceClass", deviceClass("gpu", "example.com/gpu"))
      withQuota(server, quotaOf("q", { [named]: "3" }, { [named]: "0" }))
      server.create("ResourceClaim", claimOf("a") as never)
      assert.deepStrictEqual(usedOf(server, "q"), { [named]: "2" })
      assert.strictEqual(
        server.refusalOf({ verb: "create", kind: "ResourceClaim", namespace: "default", object: claimOf("b") as never })
          .message,
        `resourceclaims.resource.k8s.io "b" is forbidden: exceeded quota: q, requested: ${named}=2, used: ${named}=2, limited: ${named}=3`
      )
    })
    it("counts what the scheduler claims for a pod at the pod", () => {
      const { create, server } = withClass("example.com/gpu")
      const amounts = { "example.com/gpu": "2" }
      const resources = { requests: amounts, limits: amounts }
      const pod = { ...podOf("p"), spec: { containers: [{ name: "c", image: "i", resources }] } }
      const uid = server.create("Pod", pod as never).metadata.uid
      const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid, controller: true }
      assert.deepStrictEqual(usedOf(server, "q")?.[named], "2")
      // The explicit name is counted at the pod; the implicit one is not what the pod requests.
      assert.deepStrictEqual(create("c", { annotations, ownerReferences: [owner] }), ["2", "2", "2"])
      // A second claim that says so of the same pod, and one of no pod, are counted themselves.
      assert.deepStrictEqual(create("d", { annotations, ownerReferences: [owner] }), ["4", "4", "4"])
      assert.deepStrictEqual(create("e", { annotations }), ["6", "6", "6"])
    })
  })
  it("refuses a request for all devices that may be more than the limit", () => {
    const server = makeTestServer()
    withQuota(server, quotaOf("q", { [perClass]: "31" }, { [perClass]: "0" }))
    const exactlyAll = { deviceClassName: "gpu", allocationMode: "All" }
    const object = { metadata: { name: "c" }, spec: { devices: { requests: [{ name: "r", exactly: exactlyAll }] } } }
    assert.strictEqual(
      server.refusalOf({ verb: "create", kind: "ResourceClaim", namespace: "default", object: object as never })
        .message,
      `resourceclaims.resource.k8s.io "c" is forbidden: exceeded quota: q, requested: ${perClass}=32, used: ${perClass}=0, limited: ${perClass}=31`
    )
  })
})

describe("LimitRanger", () => {
  const range = {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "r", namespace: "default" },
    spec: {
      limits: [{ type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m" }, max: { cpu: "1" } }]
    }
  }

  it("sets defaults, says so, and refuses what breaks a constraint", () => {
    const server = makeTestServer()
    server.create("LimitRange", range)
    const pod = server.create("Pod", podOf("a"))
    assert.deepStrictEqual(pod.spec.containers[0]?.resources, { limits: { cpu: "500m" }, requests: { cpu: "100m" } })
    assert.deepStrictEqual(pod.metadata.annotations, {
      "kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu request for container c; cpu limit for container c"
    })
    const whole = server.create("Pod", {
      ...podOf("w"),
      spec: { ...podOf("w").spec, resources: { limits: { memory: "1Gi" } } }
    })
    assert.deepStrictEqual(whole.spec.resources?.requests, { cpu: "100m", memory: "1Gi" })
    const big = podOf("b")
    const containers = [{ ...big.spec.containers[0], name: "c", resources: { limits: { cpu: "2" } } }]
    const { message } = server.refusalOf(createRequest({ ...big, spec: { containers } }))
    assert.match(message ?? "", /maximum cpu usage per Container is 1, but limit is 2/)
  })
})
