import { assert, describe, it } from "@effect/vitest"
import { groupResourceOf, type KindName, type KubeObject, keyOf, resourceOf, staleResourceVersion } from "@rollcall/api"
import {
  type Answer,
  ApiError,
  type ApiRequest,
  type Connection,
  type Informer,
  isConflict,
  SharedWrites
} from "@rollcall/cluster"
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

interface Updated {
  readonly given?: Answer
  readonly cancel: () => void
}

/** The writes of a Deployment controller, whose answers and caches the test sets. */
const setup = () => {
  const queued: Array<string> = []
  const cached = new Map<string, KubeObject>()
  const seen: Partial<Record<KindName, string>> = { Deployment: "10", ReplicaSet: "10" }
  let answer: Result.Result<unknown, ApiError> = Result.succeed(undefined)
  const sent: Array<ApiRequest> = []
  /** While it is on, answers wait. */
  const pending = { isOn: false, answers: [] as Array<() => void> }
  const writes = new SharedWrites()
  const server: Connection = {
    watch: () => () => undefined,
    send: (request, reply) => {
      sent.push(request)
      const given = answer as never
      if (pending.isOn) pending.answers.push(() => reply(given))
      else reply(given)
      return () => undefined
    }
  }
  const own = new OwnWrites({
    kinds: ["Deployment", "ReplicaSet"],
    queue: { add: (key) => void queued.push(key) },
    cache: (kind) =>
      ({
        lastResourceVersion: () => seen[kind] ?? "",
        get: (key: string) => cached.get(`${kind} ${key}`)
      }) as unknown as Informer<typeof kind>,
    connection: writes.observed(server),
    followWrites: (kind, follower) => void writes.follow(kind, follower)
  })
  const updateBy =
    ({ send }: Connection) =>
    (object: KubeObject, result: typeof answer): Updated => {
      answer = result
      const updated: { given?: Answer } = {}
      const cancel = send({ verb: "update", kind: object.kind, object } as never, (reply) => {
        updated.given = reply
      })
      return { ...updated, cancel }
    }
  const update = updateBy(own.connection)
  /** A write of another controller of the manager. */
  const othersUpdate = updateBy(writes.observed(server))
  /** An event of an object, which the cache has by then. */
  const event = (object: KubeObject) => {
    const kind = object.kind as KindName
    seen[kind] = object.metadata.resourceVersion ?? ""
    cached.set(`${kind} ${keyOf(object)}`, object)
    own.changed(kind, object)
  }
  return { own, queued, pending, sent, update, othersUpdate, event }
}

const conflictStatus = (kind: KindName, name: string) => staleResourceVersion(groupResourceOf(resourceOf(kind)), name)

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
      event(objectOf("Deployment", name, "5"))
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

describe("OwnWrites of several controllers", () => {
  const written = objectOf("ReplicaSet", "web-1", "20", "web")

  it("waits for what another controller of the manager wrote", () => {
    const { event, othersUpdate, own, queued } = setup()
    event(objectOf("Deployment", "web", "5"))
    event(objectOf("ReplicaSet", "web-1", "11", "web"))
    othersUpdate(objectOf("ReplicaSet", "web-1", "11", "web"), Result.succeed(written))
    assert.isTrue(own.mustWait("default/web"))
    event(objectOf("ReplicaSet", "other-1", "12", "other"))
    assert.deepStrictEqual(queued, [])
    event(written)
    assert.deepStrictEqual(queued, ["default/web"])
    assert.isFalse(own.mustWait("default/web"))
  })

  it("sends no update of a version that it knows to be old, and waits for the newer one", () => {
    const { event, othersUpdate, own, queued, sent, update } = setup()
    const old = objectOf("ReplicaSet", "web-1", "11", "web")
    event(objectOf("Deployment", "web", "5"))
    event(old)
    othersUpdate(old, Result.succeed(written))
    sent.length = 0
    assert.deepStrictEqual(update(old, Result.succeed(old)).given, conflictOf("ReplicaSet", "web-1"))
    assert.deepStrictEqual(sent, [])
    assert.isTrue(own.mustWait("default/web"))
    event(written)
    assert.deepStrictEqual(queued, ["default/web"])
    assert.deepStrictEqual(update(old, Result.succeed(old)).given, conflictOf("ReplicaSet", "web-1"))
    assert.deepStrictEqual(sent, [], "the cache has a newer version")
    assert.isFalse(own.mustWait("default/web"))
    update(written, Result.succeed(objectOf("ReplicaSet", "web-1", "21", "web")))
    assert.lengthOf(sent, 1)
  })

  it("waits for the answer to what another controller writes, and then for the cache", () => {
    const { event, othersUpdate, own, pending, queued } = setup()
    const old = objectOf("ReplicaSet", "web-1", "11", "web")
    event(objectOf("Deployment", "web", "5"))
    event(old)
    pending.isOn = true
    othersUpdate(old, Result.succeed(written))
    othersUpdate(old, conflictOf("ReplicaSet", "web-1"))
    assert.isTrue(own.mustWait("default/web"))
    assert.isFalse(own.mustWait("default/other"))
    pending.answers.shift()?.()
    assert.deepStrictEqual(queued, [], "another write is on its way")
    pending.answers.shift()?.()
    assert.deepStrictEqual(queued, ["default/web"])
    assert.isTrue(own.mustWait("default/web"), "the cache does not have it")
    event(written)
    assert.isFalse(own.mustWait("default/web"))
    const { cancel } = othersUpdate(written, Result.succeed(written))
    assert.isTrue(own.mustWait("default/web"))
    cancel()
    assert.isFalse(own.mustWait("default/web"), "it has no answer")
  })

  it("is processed after a while although others write its objects without a pause", () => {
    const { event, othersUpdate, own, queued } = setup()
    event(objectOf("Deployment", "web", "5"))
    event(objectOf("ReplicaSet", "web-1", "11", "web"))
    const waits = Array.from({ length: 18 }, (_, at) => {
      const next = objectOf("ReplicaSet", "web-1", `${20 + at}`, "web")
      othersUpdate(next, Result.succeed(next))
      const mustWait = own.mustWait("default/web")
      event(next)
      return mustWait
    })
    const round = [...Array(8).fill(true), false]
    assert.deepStrictEqual(waits, [...round, ...round])
    assert.lengthOf(queued, 16)
  })

  it("keeps nothing of objects that no cache has any more, or whose owner is gone", () => {
    const { event, othersUpdate, own } = setup()
    event(objectOf("ReplicaSet", "web-1", "11", "web"))
    othersUpdate(objectOf("ReplicaSet", "web-1", "11", "web"), Result.succeed(written))
    assert.isFalse(own.mustWait("default/web"), "the Deployment is not there")
    event(objectOf("Deployment", "web", "5"))
    const { metadata, ...rest } = written
    othersUpdate(written, Result.succeed({ ...rest, metadata: { ...metadata, uid: "another" } }))
    assert.isFalse(own.mustWait("default/web"), "the ReplicaSet is another one")
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
