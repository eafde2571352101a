import { assert, describe, it } from "@effect/vitest"
import type { ConfigMap, CustomResourceDefinition, KubeObject, Status } from "@rollcall/api"
import { ApiError, type ApiRequest, type Connection } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { customResources } from "../../../src/custom/index.ts"
import { makeTestServer } from "../testServer.ts"

type Answers = Array<Result.Result<unknown, unknown>>

/** A server that pauses wherever it may, on a loop of the test's own. */
const makeLoop = () => {
  const planned: Array<() => void> = []
  const testServer = makeTestServer({
    managedFields: true,
    customResources,
    turns: { nextTurn: (callback) => planned.push(callback), now: () => 0, turnMs: 0 }
  })
  const turn = () => planned.shift()?.()
  const others = testServer.server.connect({ user: "other", groups: ["system:masters"], userAgent: "other" })
  const sendOver = (connection: Connection, request: ApiRequest): Answers => {
    const answers: Answers = []
    connection.send(request, (answer) => answers.push(answer))
    return answers
  }
  const send = (request: ApiRequest) => sendOver(testServer.connection, request)
  /** By another user, whose requests do not wait for those of the first. */
  const askMeanwhile = (request: ApiRequest) => wait(sendOver(others, request))
  /** Turns until there is an answer. */
  const wait = (answers: Answers): number => {
    let turns = 0
    for (; answers.length === 0 && turns < 10_000; turns++) turn()
    testServer.settle()
    return turns
  }
  const ask = (request: ApiRequest): unknown => {
    const answers = send(request)
    wait(answers)
    return Result.getOrThrow(answers[0] as Answers[number])
  }
  const refusal = (answers: Answers): Status => {
    wait(answers)
    const [answer] = answers
    if (answer === undefined || Result.isSuccess(answer)) return assert.fail("not refused")
    return answer.failure instanceof ApiError ? answer.failure.status : assert.fail(String(answer.failure))
  }
  const turnsOf = (request: ApiRequest): number => {
    const answers = send(request)
    const turns = wait(answers)
    if (answers[0] === undefined || Result.isFailure(answers[0])) return assert.fail(JSON.stringify(answers[0]))
    return turns
  }
  /** Until controllers have done what they do after a write. */
  const settle = () => {
    for (let step = 0; step < 50; step++) {
      turn()
      testServer.advance(20)
    }
  }
  return { testServer, turn, settle, askMeanwhile, send, ask, refusal, turnsOf, wait }
}

const KEYS = 20_000
const entries = (prefix: string, count = KEYS) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}-${index}`, "v"]))

const configMap = (name: string, more: object = {}): KubeObject & object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  ...more
})

const place = { kind: "ConfigMap", namespace: "default" } as const
const create = (object: KubeObject): ApiRequest => ({ verb: "create", ...place, object })
const mergePatch = (name: string, body: unknown): ApiRequest => ({
  verb: "patch",
  ...place,
  name,
  patchType: "merge",
  body
})
const apply = (name: string, data: object): ApiRequest => ({
  verb: "patch",
  ...place,
  name,
  patchType: "apply",
  fieldManager: "applier",
  force: true,
  body: configMap(name, { data })
})

/** What a request of 2048 entries or more does in one go is a part of each of its stages. */
const PARTS = KEYS / 2048

const text = { type: "string", maxLength: 10 }
const definition = (plural: string, spec: object): CustomResourceDefinition & object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural, singular: plural, kind: "Long", listKind: "LongList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } }
      }
    ]
  }
})
const define = (object: KubeObject): ApiRequest => ({ verb: "create", kind: "CustomResourceDefinition", object })
const longResource = (spec: object): ApiRequest => ({
  verb: "create",
  kind: "Long.example.com/v1",
  namespace: "default",
  object: { apiVersion: "example.com/v1", kind: "Long", metadata: { name: "x", namespace: "default" }, spec }
})

describe("a long request", () => {
  it("deletes a collection in batches, also on a dry run, with yields between them", () => {
    const { ask, turnsOf, testServer } = makeLoop()
    const names = Array.from({ length: 1000 }, (_, index) => `c-${index}`)
    const objects = names.map((name) => ({ ...configMap(name, {}), metadata: { name, namespace: "default" } }))
    testServer.time.run(testServer.server.restore(objects))
    const request = { verb: "deletecollection", kind: "ConfigMap", namespace: "default" } as const
    assert.isAtLeast(turnsOf({ ...request, options: { dryRun: ["All"] } }), Math.floor(names.length / 64))
    assert.isAtLeast(turnsOf(request), Math.floor(names.length / 64))
    const left = ask({ verb: "list", kind: "ConfigMap", namespace: "default" }) as {
      readonly items: ReadonlyArray<unknown>
    }
    assert.strictEqual(left.items.length, 0)
  })

  it("yields within the stages of a create, and between them", () => {
    const { turnsOf } = makeLoop()
    const few = turnsOf(create(configMap("few", { data: { a: "b" } })))
    const many = turnsOf(create(configMap("many", { data: entries("k") })))
    assert.isAbove(few, 2)
    // The comparison with nothing, and the set that comes of it.
    assert.isAtLeast(many - few, Math.floor(2 * PARTS))
  })

  it("yields within the stages of a merge patch and of an apply", () => {
    const { ask, turnsOf } = makeLoop()
    ask(create(configMap("patched", { data: { a: "b" } })))
    assert.isAtLeast(turnsOf(mergePatch("patched", { data: entries("m") })), Math.floor(2 * PARTS))
    // What is said now, the comparison, the set of what changed; and of what was said before, three more sets.
    assert.isAtLeast(turnsOf(apply("patched", entries("p"))), Math.floor(3 * PARTS))
    assert.isAtLeast(turnsOf(apply("patched", entries("q"))), Math.floor(6 * PARTS))
  })

  it("writes on top of concurrent writes, wherever it yields", () => {
    for (let turnsBefore = 1; turnsBefore <= 12; turnsBefore++) {
      const { askMeanwhile, send, turn, wait, testServer } = makeLoop()
      wait(send(create(configMap("shared", { data: { a: "b" } }))))
      const slow = send(mergePatch("shared", { data: entries("slow", 3000) }))
      for (let turns = 0; turns < turnsBefore; turns++) turn()
      askMeanwhile(mergePatch("shared", { data: { quick: "v" } }))
      wait(slow)
      const stored = testServer.get("ConfigMap", "shared") as ConfigMap
      assert.strictEqual(Object.keys(stored.data ?? {}).length, 3002)
      assert.strictEqual(stored.data?.quick, "v")
    }
  })

  it("is refused at a resourceVersion that another write has passed meanwhile", () => {
    const { ask, askMeanwhile, refusal, send, turn } = makeLoop()
    const stored = ask(create(configMap("old", { data: { a: "b" } }))) as KubeObject
    const slow = send({ verb: "update", ...place, name: "old", object: { ...stored, data: entries("slow", 3000) } })
    turn()
    askMeanwhile(mergePatch("old", { data: { quick: "v" } }))
    assert.strictEqual(refusal(slow).reason, "Conflict")
  })

  it("creates nothing in a namespace that is deleted meanwhile", () => {
    const { ask, askMeanwhile, refusal, send, turn, testServer } = makeLoop()
    ask({
      verb: "create",
      kind: "Namespace",
      object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "gone" } }
    })
    const object = { ...configMap("late", { data: entries("k", 3000) }), metadata: { name: "late", namespace: "gone" } }
    const slow = send({ verb: "create", kind: "ConfigMap", namespace: "gone", object })
    turn()
    askMeanwhile({ verb: "delete", kind: "Namespace", name: "gone" })
    assert.strictEqual(refusal(slow).reason, "Forbidden")
    assert.strictEqual(testServer.get("ConfigMap", "late", "gone"), undefined)
  })

  it("yields between values, and between rules, of a custom resource", () => {
    const { ask, settle, turnsOf } = makeLoop()
    const rules = Array.from({ length: 8 }, (_, index) => ({ rule: `self.all(a, self.all(b, a + b != '${index}'))` }))
    const ruled = { type: "array", maxItems: 150, items: text, "x-kubernetes-validations": rules }
    const wide = { type: "array", items: { type: "object", properties: { a: text, b: { type: "integer" } } } }
    ask(define(definition("longs", { type: "object", properties: { ruled, wide } })))
    settle()
    const spec = (items: number, asked: number) => ({
      wide: Array.from({ length: items }, (_, b) => ({ a: "x", b })),
      ruled: Array.from({ length: asked }, (_, index) => `v${index}`)
    })
    const remove = () => ask({ verb: "delete", kind: "Long.example.com/v1", namespace: "default", name: "x" })
    const few = turnsOf(longResource(spec(1, 1)))
    remove()
    // Values of 10 steps each, with a pause after each 250,000.
    assert.isAtLeast(turnsOf(longResource(spec(30_000, 1))) - few, 4)
    remove()
    // 22,500 comparisons for each rule.
    assert.isAtLeast(turnsOf(longResource(spec(1, 150))) - few, 3)
  })

  it("yields between the rules of a definition, and within a long one", () => {
    const { turnsOf } = makeLoop()
    const rule = `[${Array.from({ length: 100 }, (_, index) => index).join(",")}].size() > 0`
    const rules = Array.from({ length: 50 }, () => ({ rule }))
    assert.isAtLeast(turnsOf(define(definition("ruled", { ...text, "x-kubernetes-validations": rules }))), 150)
  })

  it("reports the errors of a long list in order, whether it yields or not", () => {
    const { ask, refusal, send, settle } = makeLoop()
    const wide = { type: "array", items: { type: "object", properties: { a: text, b: { type: "integer" } } } }
    ask(define(definition("longs", { type: "object", properties: { wide } })))
    settle()
    const wrong = [3, 17_000, 29_999]
    const items = Array.from({ length: 30_000 }, (_, b) => ({ a: wrong.includes(b) ? b : "x", b }))
    const { details } = refusal(send(longResource({ wide: items })))
    assert.deepStrictEqual(
      details?.causes?.map(({ field }) => field),
      wrong.map((index) => `spec.wide[${index}].a`)
    )
  })

  it("is not stored if its definition is deleted meanwhile", () => {
    const { ask, askMeanwhile, refusal, send, settle, turn } = makeLoop()
    const wide = { type: "array", items: { type: "object", properties: { a: text } } }
    ask(define(definition("longs", { type: "object", properties: { wide } })))
    settle()
    const slow = send(longResource({ wide: Array.from({ length: 90_000 }, () => ({ a: "x" })) }))
    turn()
    askMeanwhile({ verb: "delete", kind: "CustomResourceDefinition", name: "longs.example.com" })
    // Its end takes fewer turns than the values.
    settle()
    assert.strictEqual(refusal(slow).code, 404)
  })

  it("is refused if an exception after a yield is not an error of the request", () => {
    const errors: Array<unknown> = []
    const planned: Array<() => void> = []
    const testServer = makeTestServer({
      turns: { nextTurn: (callback) => planned.push(callback), now: () => 0, turnMs: 0 },
      handleError: (_, error) => errors.push(error),
      admission: [
        {
          name: "Broken",
          admits: (kind) => kind === "ConfigMap",
          mutate: () => {
            throw new Error("broken")
          }
        }
      ]
    })
    const answers: Answers = []
    testServer.connection.send(create(configMap("x")), (answer) => answers.push(answer))
    for (let turns = 0; turns < 10; turns++) planned.shift()?.()
    assert.strictEqual(String(errors[0]), "Error: broken")
    const [answer] = answers
    assert.isTrue(answer !== undefined && Result.isFailure(answer) && answer.failure instanceof ApiError)
  })
})
