import { assert, describe, it } from "@effect/vitest"
import { conflict, groupResourceOf, type KindName, type KubeObject, keyOf, resourceOf } from "@rollcall/api"
import { type Answer, ApiError, type ApiRequest, type Informer, isConflict } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { OwnWrites } from "../src/consistency/awaitOwnWrites.ts"
import { WaitingKeys } from "../src/consistency/WaitingKeys.ts"
import { replicaSetOf, withControllers } from "./withControllers.ts"

const objectOf = (kind: string, name: string, resourceVersion: string, owner?: string): KubeObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: {
    name,
    namespace: "default",
    uid: `uid-${name}`,
    resourceVersion,
    ...(owner !== undefined && {
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "Deployment", name: owner, uid: `uid-${owner}`, controller: true }
      ]
    })
  }
})

/** The writes of a Deployment controller, whose answers and caches the test sets. */
const setup = () => {
  const queued: Array<string> = []
  const cached = new Map<string, KubeObject>()
  const seen: Partial<Record<KindName, string>> = { Deployment: "10", ReplicaSet: "10" }
  let answer: Result.Result<unknown, ApiError> = Result.succeed(undefined)
  const own = new OwnWrites({
    kinds: ["Deployment", "ReplicaSet"],
    queue: { add: (key) => void queued.push(key) },
    cache: (kind) =>
      ({
        lastResourceVersion: () => seen[kind] ?? "",
        get: (key: string) => cached.get(`${kind} ${key}`)
      }) as unknown as Informer<typeof kind>,
    connection: {
      watch: () => () => undefined,
      send: (_, reply) => {
        reply(answer as never)
        return () => undefined
      }
    }
  })
  const update = (object: KubeObject, result: typeof answer) => {
    answer = result
    own.connection.send({ verb: "update", kind: object.kind, object } as never, () => undefined)
  }
  /** An event of an object, which the cache has by then. */
  const event = (object: KubeObject) => {
    const kind = object.kind as KindName
    seen[kind] = object.metadata.resourceVersion ?? ""
    cached.set(`${kind} ${keyOf(object)}`, object)
    own.changed(kind, object)
  }
  return { own, queued, update, event }
}

const conflictStatus = (kind: KindName, name: string) =>
  conflict(groupResourceOf(resourceOf(kind)), name, "the object has been modified")

const conflictOf = (kind: KindName, name: string) => Result.fail(new ApiError({ status: conflictStatus(kind, name) }))

describe("WaitingKeys", () => {
  it("gives each key once, when the cache has seen its revision", () => {
    const waiting = new WaitingKeys()
    waiting.add("b", "12")
    waiting.add("c", "100")
    waiting.add("a", "9")
    waiting.add("b", "13")
    assert.deepStrictEqual(waiting.takeUpTo("8"), [])
    assert.deepStrictEqual(waiting.takeUpTo("12"), ["a", "b"])
    assert.deepStrictEqual(waiting.takeUpTo("12"), [])
    assert.deepStrictEqual(waiting.takeUpTo("101"), ["c"])
  })
})

describe("OwnWrites", () => {
  it("queues a key that waits for its write when the cache has seen it, and not at other events", () => {
    const { event, own, queued, update } = setup()
    const keys = ["default/a", "default/b", "default/c"]
    keys.forEach((key, index) => {
      const name = key.slice("default/".length)
      update(objectOf("Deployment", name, "5"), Result.succeed(objectOf("Deployment", name, `${20 + index}`)))
      assert.isTrue(own.mustWait(key))
      assert.isTrue(own.mustWait(key))
    })
    event(objectOf("Deployment", "other", "15"))
    event(objectOf("ReplicaSet", "other-1", "30", "other"))
    assert.deepStrictEqual(queued, [])
    event(objectOf("Deployment", "a", "20"))
    assert.deepStrictEqual(queued, ["default/a"])
    assert.isFalse(own.mustWait("default/a"))
    own.deleted("Deployment", objectOf("Deployment", "b", "21"))
    assert.isFalse(own.mustWait("default/b"), "a deleted object's writes count no more")
    event(objectOf("Deployment", "c", "23"))
    assert.deepStrictEqual(queued, keys)
  })

  it("waits after a conflict until the cache has another version of the object", () => {
    const { event, own, queued, update } = setup()
    event(objectOf("ReplicaSet", "web-1", "11", "web"))
    update(objectOf("ReplicaSet", "web-1", "11", "web"), conflictOf("ReplicaSet", "web-1"))
    assert.isTrue(own.mustWait("default/web"))
    event(objectOf("ReplicaSet", "other-1", "12", "other"))
    assert.deepStrictEqual(queued, [])
    event(objectOf("ReplicaSet", "web-1", "13", "web"))
    assert.deepStrictEqual(queued, ["default/web"])
    assert.isFalse(own.mustWait("default/web"))
  })

  it("does not wait after a conflict that the cache knows of, or that a webhook made", () => {
    const { event, own, update } = setup()
    event(objectOf("Deployment", "web", "12"))
    update(objectOf("Deployment", "web", "11"), conflictOf("Deployment", "web"))
    assert.isFalse(own.mustWait("default/web"))
    const status = { ...conflictStatus("Deployment", "web"), details: {} }
    update(objectOf("Deployment", "web", "12"), Result.fail(new ApiError({ status })))
    assert.isFalse(own.mustWait("default/web"))
  })
})

describe("the status of a ReplicaSet", () => {
  it("is written to the version that the cache has once the pods are created", () => {
    const conflicts: Array<ApiRequest> = []
    withControllers(
      ({ cluster }) =>
        Effect.gen(function* () {
          const metadata = { name: "web", namespace: "default" }
          yield* cluster.create("ReplicaSet", replicaSetOf(2))
          yield* Effect.sleep("1 second")
          yield* cluster.patch("ReplicaSet", metadata, "merge", { metadata: { annotations: { size: "2" } } })
          yield* Effect.sleep("10 seconds")
          assert.strictEqual((yield* cluster.get("ReplicaSet", metadata)).status?.replicas, 2)
          assert.deepStrictEqual(conflicts, [])
        }),
      (connection, timers) => ({
        watch: connection.watch,
        send: (request, reply) => {
          const late = (answer: Answer) => {
            if (Result.isFailure(answer) && isConflict(answer.failure)) conflicts.push(request)
            if (request.verb === "create" && request.kind === "Pod") timers.after(2000, () => reply(answer as never))
            else reply(answer as never)
          }
          return connection.send(request, late as never)
        }
      })
    )
  })
})
