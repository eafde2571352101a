import { assert, describe, it } from "@effect/vitest"
import type { KindName, KubeObject, ListOf } from "@rollcall/api"
import type { ListRequest } from "@rollcall/cluster"
import * as fc from "fast-check"
import { lease, makeTestServer, node, pod, type TestServer } from "./testServer.ts"

const names = (list: { readonly items: ReadonlyArray<KubeObject> }) => list.items.map(({ metadata }) => metadata.name)

const listNames = (testServer: TestServer, kind: KindName, options: Partial<ListRequest> = {}) =>
  names(testServer.list(kind, options))

describe("list", () => {
  it("orders by namespace and name as the store's keys are ordered", () => {
    const testServer = makeTestServer()
    for (const name of ["a", "a-b", "a0"]) testServer.create("Namespace", { metadata: { name } })
    for (const [namespace, name] of [
      ["a", "z"],
      ["a-b", "x"],
      ["a0", "y"],
      ["a", "b.c"],
      ["a", "b-c"]
    ]) {
      testServer.create("ConfigMap", { metadata: { name, namespace } })
    }
    // "-" sorts before "/", "0" behind it.
    assert.deepStrictEqual(listNames(testServer, "ConfigMap"), ["x", "b-c", "b.c", "z", "y"])
    assert.deepStrictEqual(listNames(testServer, "ConfigMap", { limit: 10 }), ["x", "b-c", "b.c", "z", "y"])
    assert.deepStrictEqual(listNames(testServer, "ConfigMap", { namespace: "a" }), ["b-c", "b.c", "z"])
    assert.deepStrictEqual(listNames(testServer, "ConfigMap", { namespace: "none" }), [])
  })

  it("has the name of its kind and the revision that it shows", () => {
    const testServer = makeTestServer()
    testServer.create("Node", node("n"))
    const list = testServer.list("Node")
    assert.deepStrictEqual([list.kind, list.apiVersion], ["NodeList", "v1"])
    assert.deepStrictEqual(list.metadata, { resourceVersion: String(testServer.server.revision()) })
  })

  it("selects by labels and fields", () => {
    const testServer = makeTestServer()
    for (const name of ["a", "b", "c"])
      testServer.create("Pod", pod(name, name === "c" ? {} : { nodeName: `on-${name}` }, { labels: { name } }))
    const pods = (options: Partial<ListRequest>) => listNames(testServer, "Pod", options)
    assert.deepStrictEqual(pods({ labelSelector: "name in (a,c)" }), ["a", "c"])
    assert.deepStrictEqual(pods({ fieldSelector: "spec.nodeName=on-b" }), ["b"])
    assert.deepStrictEqual(pods({ fieldSelector: "spec.nodeName=" }), ["c"])
    assert.deepStrictEqual(pods({ fieldSelector: "spec.nodeName!=on-b,status.phase=Pending" }), ["a", "c"])
    assert.deepStrictEqual(pods({ fieldSelector: "spec.nodeName=on-a", labelSelector: "name!=a" }), [])
    assert.deepStrictEqual(pods({ fieldSelector: "metadata.name=b", namespace: "default" }), ["b"])
    assert.deepStrictEqual(pods({ fieldSelector: "metadata.name=b" }), ["b"])
    assert.deepStrictEqual(pods({ fieldSelector: "metadata.name=b", namespace: "kube-system" }), [])
    testServer.create("Node", node("on-a", { spec: { unschedulable: true } }))
    testServer.create("Node", node("on-b"))
    assert.deepStrictEqual(listNames(testServer, "Node", { fieldSelector: "spec.unschedulable=true" }), ["on-a"])
    assert.deepStrictEqual(listNames(testServer, "Node", { fieldSelector: "metadata.name=on-b" }), ["on-b"])
  })

  it("refuses invalid selectors and contradictory options", () => {
    const testServer = makeTestServer()
    const refuse = (options: Partial<ListRequest>, kind: KindName = "Node") =>
      testServer.refusalOf({ ...options, verb: "list", kind }).message
    assert.strictEqual(refuse({ fieldSelector: "spec.foo=bar" }), "field label not supported: spec.foo")
    assert.strictEqual(
      refuse({ fieldSelector: "spec.x=1" }, "Lease"),
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'
    )
    assert.match(refuse({ labelSelector: "a=b=c" }) ?? "", /^found '=', expected/)
    assert.match(
      refuse({ resourceVersionMatch: "Exact" }) ?? "",
      /^ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden/
    )
    assert.match(
      refuse({ resourceVersion: "x" }) ?? "",
      /^invalid resource version: resourceVersion: Invalid value: "x"/
    )
    assert.strictEqual(
      refuse({ continue: "abc" }),
      "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value"
    )
    assert.strictEqual(
      refuse({ continue: "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0", resourceVersion: "5" }),
      "specifying resource version is not allowed when using continue"
    )
  })

  it("waits three seconds for a future revision", () => {
    const testServer = makeTestServer()
    const current = testServer.server.revision()
    const refused = testServer.refusalOf({ verb: "list", kind: "Node", resourceVersion: "1000" })
    assert.strictEqual(refused.message, `Timeout: Too large resource version: 1000, current: ${current}`)
    assert.deepInclude(refused, { code: 504, reason: "Timeout" })
    assert.strictEqual(refused.details?.retryAfterSeconds, 1)
    assert.strictEqual(testServer.time.timers.now() % 1000, 0)

    const answers: Array<unknown> = []
    testServer.connection.send({ verb: "list", kind: "Node", resourceVersion: String(current + 1) }, (answer) =>
      answers.push(answer)
    )
    assert.deepStrictEqual(answers, [])
    testServer.create("Node", node("n"))
    assert.strictEqual(answers.length, 1)
    testServer.advance(10_000)
    assert.strictEqual(answers.length, 1)
  })

  it("waits for no future revision of a kind without a watch cache", () => {
    const testServer = makeTestServer()
    const current = testServer.server.revision()
    const began = testServer.time.timers.now()
    const token = btoa('{"v":"meta.k8s.io/v1","rv":1000,"start":"x"}').replaceAll("=", "")
    for (const request of [
      { verb: "list", resourceVersion: "1000" },
      { verb: "list", resourceVersion: "1000", resourceVersionMatch: "Exact" },
      { verb: "list", continue: token },
      { verb: "get", resourceVersion: "1000", namespace: "default", name: "e" }
    ] as const) {
      const refused = testServer.refusalOf({ ...request, kind: "Event" })
      assert.strictEqual(refused.message, `Timeout: Too large resource version: 1000, current: ${current}`)
      assert.strictEqual(refused.details?.retryAfterSeconds, undefined)
    }
    assert.strictEqual(testServer.time.timers.now(), began)

    const late = testServer.refusalOf({ verb: "list", kind: "Node", continue: token })
    assert.strictEqual(late.message, `Timeout: Too large resource version: 1000, current: ${current}`)
    assert.strictEqual(late.details?.retryAfterSeconds, 1)
    assert.strictEqual(testServer.time.timers.now() - began, 3000)
  })
})

describe("pages", () => {
  const page = (testServer: TestServer, options: object) => testServer.list("Node", options) as ListOf<"Node">

  it("show one revision, whatever is written meanwhile", () => {
    const testServer = makeTestServer()
    for (const name of ["a", "b", "c", "d", "e"]) testServer.create("Node", node(name))
    const first = page(testServer, { limit: 2 })
    assert.deepStrictEqual([names(first), first.metadata.remainingItemCount], [["a", "b"], 3])
    testServer.create("Node", node("b1"))
    testServer.ask({ verb: "delete", kind: "Node", name: "d" })
    testServer.ask({
      verb: "patch",
      kind: "Node",
      name: "c",
      patchType: "merge",
      body: { metadata: { labels: { new: "1" } } }
    })
    const second = page(testServer, { limit: 2, continue: first.metadata.continue })
    assert.deepStrictEqual([names(second), second.metadata.remainingItemCount], [["c", "d"], 1])
    assert.strictEqual(second.metadata.resourceVersion, first.metadata.resourceVersion)
    assert.deepStrictEqual(second.items[0]?.metadata.labels, undefined)
    const third = page(testServer, { continue: second.metadata.continue })
    assert.deepStrictEqual([names(third), third.metadata.continue], [["e"], undefined])
    const exact = page(testServer, { resourceVersion: first.metadata.resourceVersion, resourceVersionMatch: "Exact" })
    assert.deepStrictEqual(names(exact), ["a", "b", "c", "d", "e"])
  })

  it("begin with the key in a token that a client made", () => {
    const testServer = makeTestServer()
    for (const name of ["a", "a-1", "b"]) testServer.create("ConfigMap", { metadata: { name, namespace: "default" } })
    const from = (start: string) => {
      const token = Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: -1, start })).toString("base64url")
      return listNames(testServer, "ConfigMap", { namespace: "default", limit: 5, continue: token })
    }
    assert.deepStrictEqual(from("a"), ["a", "a-1", "b"])
    assert.deepStrictEqual(from("a\0"), ["a-1", "b"])
    assert.deepStrictEqual(from("a-"), ["a-1", "b"])
  })

  it("have tokens whose key begins with a slash, except of Events, and read them with line breaks", () => {
    const testServer = makeTestServer()
    for (const name of ["a", "b", "c"]) {
      testServer.create("ConfigMap", { metadata: { name, namespace: "default" } })
      testServer.create("Event", {
        metadata: { name, namespace: "default" },
        involvedObject: { namespace: "default" }
      } as never)
    }
    const tokenOf = (kind: "ConfigMap" | "Event", options: object) =>
      testServer.list(kind, { limit: 1, ...options }).metadata.continue ?? ""
    const startOf = (token: string) => JSON.parse(Buffer.from(token, "base64url").toString()).start
    const token = tokenOf("ConfigMap", { namespace: "default" })
    assert.strictEqual(startOf(token), "/a\0")
    assert.strictEqual(startOf(tokenOf("ConfigMap", {})), "/default/a\0")
    assert.strictEqual(startOf(tokenOf("Event", { namespace: "default" })), "a\0")
    const broken = `${token.slice(0, 9)}\n${token.slice(9)}\r\n`
    const rest = { namespace: "default", limit: 5, continue: broken }
    assert.deepStrictEqual(listNames(testServer, "ConfigMap", rest), ["b", "c"])
  })

  it("of Events, which have no watch cache, have their limit at revision 0, too", () => {
    const testServer = makeTestServer()
    const involvedObject = { namespace: "default" }
    for (const name of ["a", "b"]) {
      testServer.create("ConfigMap", { metadata: { name, namespace: "default" } })
      testServer.create("Event", { metadata: { name, namespace: "default" }, involvedObject } as never)
    }
    const options = { limit: 1, resourceVersion: "0" }
    assert.deepStrictEqual(listNames(testServer, "Event", options), ["a"])
    assert.deepStrictEqual(listNames(testServer, "ConfigMap", options), ["a", "b"])
  })

  it("have no remainingItemCount with selectors", () => {
    const testServer = makeTestServer()
    for (const name of ["a", "b", "c", "d"])
      testServer.create("Node", node(name, { metadata: { name, labels: { odd: name } } }))
    const first = page(testServer, { limit: 1, labelSelector: "odd in (b,d)" })
    assert.deepStrictEqual([names(first), first.metadata.remainingItemCount], [["b"], undefined])
    const second = page(testServer, { limit: 1, labelSelector: "odd in (b,d)", continue: first.metadata.continue })
    assert.deepStrictEqual([names(second), second.metadata.continue], [["d"], undefined])
  })

  it("end with Expired once their revision is compacted, with a token that continues at the newest revision", () => {
    const testServer = makeTestServer()
    for (const name of ["a", "b", "c"]) testServer.create("Node", node(name))
    const first = page(testServer, { limit: 1 })
    testServer.create("Node", node("d"))
    testServer.time.run(testServer.server.compact)
    const refused = testServer.refusalOf({
      verb: "list",
      kind: "Node",
      limit: 1,
      continue: first.metadata.continue ?? ""
    })
    assert.deepInclude(refused, { code: 410, reason: "Expired" })
    assert.match(refused.message ?? "", /^The provided continue parameter is too old/)
    assert.deepStrictEqual(names(page(testServer, { continue: refused.metadata.continue })), ["b", "c", "d"])
    const old = { resourceVersion: first.metadata.resourceVersion ?? "", resourceVersionMatch: "Exact" } as const
    assert.strictEqual(
      testServer.refusalOf({ verb: "list", kind: "Node", ...old }).message,
      "The resourceVersion for the provided list is too old."
    )
  })

  it("together equal the unpaged list", () => {
    const step = fc.record({ name: fc.nat(30), remove: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (steps, limit) => {
        const testServer = makeTestServer()
        const write = ({ name, remove }: { readonly name: number; readonly remove: boolean }) => {
          const request = { verb: "delete", kind: "Lease", namespace: "kube-node-lease", name: `l${name}` } as const
          if (!remove) testServer.connection.send({ ...request, verb: "create", object: lease(`l${name}`) }, () => {})
          else testServer.connection.send(request, () => {})
        }
        for (const one of steps) write(one)
        const whole = listNames(testServer, "Lease")
        const paged: Array<string | undefined> = []
        let next: string | undefined = ""
        while (next !== undefined) {
          const list: ListOf<"Lease"> = testServer.list("Lease", { limit, ...(next === "" ? {} : { continue: next }) })
          paged.push(...names(list))
          next = list.metadata.continue
          // Writes between the pages do not show.
          write({ name: paged.length, remove: paged.length % 2 === 0 })
        }
        assert.deepStrictEqual(paged, whole)
      }),
      { numRuns: 40 }
    )
  })
})
