import { assert, describe, it } from "@effect/vitest"
import { getPodCondition, type Pod } from "@rollcall/api"
import { type ApiRequest, type Connection, cancellable, EventSeriesRecorder } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { defaultProfile, type PodInfo, type Profile } from "../src/index.ts"
import { QueueClock } from "../src/queue/QueueClock.ts"
import { SchedulingQueue } from "../src/queue/SchedulingQueue.ts"
import { nodeNamed, podNamed, withScheduler } from "./withScheduler.ts"

interface FaultyParts {
  readonly profile?: Partial<Profile>
  readonly wrap?: (connection: Connection) => Connection
}

type FaultyPart = readonly [
  name: string,
  make: (strike: (pod: PodInfo) => void, strikeNow: () => void) => FaultyParts,
  message?: string
]

const throwWhere =
  (strike: () => void, matches: (request: ApiRequest) => boolean) =>
  (to: Connection): Connection => ({
    ...to,
    send: cancellable((request, reply) => {
      if (matches(request)) strike()
      to.send(request, reply)
    })
  })

const isNamed = (name: string) => (request: ApiRequest) => "name" in request && request.name === name

/** Where a plugin or a request of one pod throws, and what the pod's condition says then. */
const faultyParts: ReadonlyArray<FaultyPart> = [
  [
    "a filter's preparation",
    (strike) => ({
      profile: {
        filters: [
          ...defaultProfile.filters,
          {
            name: "Odd",
            prepare: (pod) => {
              strike(pod)
              return { _tag: "Skip" }
            }
          }
        ]
      }
    }),
    "by hand"
  ],
  [
    "a filter's look at a node",
    (strike) => ({
      profile: {
        filters: [
          ...defaultProfile.filters,
          {
            name: "Odd",
            prepare: (pod) => ({
              _tag: "Check",
              check: () => {
                strike(pod)
                return undefined
              }
            })
          }
        ]
      }
    }),
    "by hand"
  ],
  [
    "a score",
    (strike) => ({
      profile: {
        scores: [
          {
            name: "Odd",
            weight: 1,
            score: (pod) => {
              strike(pod)
              return false
            }
          }
        ]
      }
    }),
    "by hand"
  ],
  [
    "Reserve",
    (strike) => ({
      profile: { reserve: [{ name: "Odd", reserve: (pod) => void strike(pod), unreserve: (pod) => strike(pod) }] }
    }),
    'running Reserve plugin "Odd": by hand'
  ],
  [
    "Permit",
    (strike) => ({ profile: { permit: [{ name: "Odd", permit: (pod) => void strike(pod) }] } }),
    'running Permit plugin "Odd": by hand'
  ],
  [
    "a hold of Permit",
    (strike) => ({
      profile: {
        permit: [
          {
            name: "Odd",
            permit: () => ({
              _tag: "Wait",
              timeoutMs: 1000,
              hold: ({ allow, pod }) => {
                strike(pod)
                allow()
              }
            })
          }
        ]
      }
    }),
    'running Permit plugin "Odd": by hand'
  ],
  [
    "PreBind",
    (strike) => ({
      profile: {
        preBind: [
          {
            name: "Odd",
            concerns: (pod) => {
              strike(pod)
              return true
            },
            preBind: ({ done, pod }) => {
              strike(pod)
              done()
              return undefined
            }
          }
        ]
      }
    }),
    'running PreBind plugin "Odd": by hand'
  ],
  [
    "the request that binds",
    (_, strikeNow) => ({
      wrap: throwWhere(strikeNow, (request) => isNamed("odd")(request) && request.verb === "create")
    }),
    'running Bind plugin "DefaultBinder": create Pod: by hand'
  ]
]

const runWithFault = (
  [, make]: FaultyPart,
  test: Parameters<typeof withScheduler>[0] extends (setup: infer W) => unknown
    ? (setup: W, fault: { on: boolean; thrown: number }, errors: ReadonlyArray<string>) => Effect.Effect<void, unknown>
    : never
) => {
  const fault = { on: true, thrown: 0 }
  const errors: Array<string> = []
  const strikeNow = () => {
    if (!fault.on) return
    fault.thrown++
    throw new Error("by hand")
  }
  const { profile, wrap = (connection: Connection) => connection } = make(({ name }) => {
    if (name === "odd") strikeNow()
  }, strikeNow)
  withScheduler(
    (made) => Effect.orDie(test(made, fault, errors)),
    { profile: { ...defaultProfile, ...profile } },
    wrap,
    (source, error) => errors.push(`${source}: ${(error as Error).message}`)
  )
}

describe("a scheduler", () => {
  for (const place of faultyParts) {
    const [name, , message = ""] = place
    it(`schedules the next pod when ${name} throws, and retries the failed one after its back-off`, () => {
      runWithFault(place, ({ addNode, cluster, pod, scheduler }, fault, errors) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("n1", { cpu: "4" }))
          yield* addNode(nodeNamed("n2", { cpu: "4" }))
          for (const each of ["odd", "a", "b"]) yield* cluster.create("Pod", podNamed(each))
          yield* Effect.sleep("800 millis")
          assert.isDefined((yield* pod("a")).spec.nodeName)
          assert.isDefined((yield* pod("b")).spec.nodeName)
          const odd: Pod = yield* pod("odd")
          assert.isUndefined(odd.spec.nodeName)
          assert.deepInclude(getPodCondition(odd.status, "PodScheduled"), { reason: "SchedulerError", message })
          const first = fault.thrown
          assert.isAbove(first, 0)
          if (name !== "the request that binds") assert.strictEqual(errors.length, first)
          // It holds no room, and comes back with a back-off: 1 s, 2 s, 4 s …
          assert.strictEqual(scheduler.cache.podCount, 2)
          yield* Effect.sleep("10 seconds")
          assert.isAbove(fault.thrown, first)
          assert.isAtMost(fault.thrown, first * 6)
          fault.on = false
          yield* Effect.sleep("20 seconds")
          assert.isDefined((yield* pod("odd")).spec.nodeName)
        })
      )
    })
  }

  it("has bound the pod, and continues, when PostBind throws", () => {
    const place: FaultyPart = ["", (strike) => ({ profile: { postBind: [{ name: "Odd", postBind: strike }] } })]
    runWithFault(place, ({ addNode, cluster, pod }, fault, errors) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("n1"))
        for (const each of ["odd", "a"]) yield* cluster.create("Pod", podNamed(each))
        yield* Effect.sleep("5 seconds")
        assert.isDefined((yield* pod("odd")).spec.nodeName)
        assert.isDefined((yield* pod("a")).spec.nodeName)
        assert.strictEqual(fault.thrown, 1)
        assert.deepStrictEqual(errors, ["scheduler plugin: by hand"])
      })
    )
  })

  it("tries a pod again whose hint throws, and those that wait with it by their own hints", () => {
    const rejects = (info: PodInfo) => info.name !== "a"
    let helps = false
    const place: FaultyPart = [
      "",
      (strike) => ({
        profile: {
          filters: [
            ...defaultProfile.filters,
            {
              name: "Odd",
              prepare: (info) =>
                helps || !rejects(info)
                  ? { _tag: "Skip" }
                  : {
                      _tag: "Reject",
                      rejection: { code: "UnschedulableAndUnresolvable", plugin: "Odd", reasons: ["not now"] }
                    },
              hint: (info) => {
                strike(info)
                return info.name === "waits"
              }
            }
          ]
        }
      })
    ]
    runWithFault(place, ({ addNode, cluster, pod }, fault, errors) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("n1"))
        for (const each of ["odd", "waits", "stays"]) yield* cluster.create("Pod", podNamed(each))
        yield* Effect.sleep("5 seconds")
        helps = true
        yield* addNode(nodeNamed("n2"))
        yield* Effect.sleep("15 seconds")
        assert.isDefined((yield* pod("odd")).spec.nodeName)
        assert.isDefined((yield* pod("waits")).spec.nodeName)
        assert.isUndefined((yield* pod("stays")).spec.nodeName)
        assert.isAbove(fault.thrown, 0)
        assert.isTrue(errors.every((error) => error === "queueing hint: by hand"))
        assert.strictEqual(errors.length, fault.thrown)
      })
    )
  })
})

describe("the scheduler's periodic work", () => {
  const errorsIn = () => {
    const errors: Array<string> = []
    const { timers, runUntil } = makeVirtualTime(0, { handleError: (source) => void errors.push(source) })
    return { errors, timers, runUntil }
  }

  it("ends further series of events when one cannot be written", () => {
    const { errors, runUntil, timers } = errorsIn()
    const written: Array<string> = []
    const connection: Connection = {
      send: cancellable((request) => {
        if (request.verb !== "patch") return
        const { name } = request
        if (name.startsWith("odd") && timers.now() > 0) throw new Error("by hand")
        if (timers.now() > 0) written.push(name.slice(0, name.indexOf(".")))
      }),
      watch: () => () => {}
    }
    const events = new EventSeriesRecorder(connection, timers, {
      controller: "default-scheduler",
      instance: "default-scheduler"
    })
    const repeat = (name: string) => {
      for (let time = 0; time < 3; time++)
        events.record(podNamed(name), "Warning", "FailedScheduling", "Scheduling", "")
    }
    repeat("odd")
    repeat("even")
    runUntil(1_000_000)
    repeat("late")
    runUntil(2_000_000)
    assert.deepStrictEqual(written, ["even", "late", "late"])
    assert.deepStrictEqual(errors, ["event series"])
  })

  it("checks queued pods again after a check that throws", () => {
    const { errors, runUntil, timers } = errorsIn()
    const looks: Array<number> = []
    const queue = new SchedulingQueue()
    Object.defineProperty(queue, "unschedulableSize", { get: () => 1 })
    queue.requeueStale = (now) => {
      looks.push(now)
      if (looks.length === 1) throw new Error("by hand")
      return 0
    }
    const clock = new QueueClock(queue, timers, () => {})
    clock.start()
    clock.planStale()
    runUntil(95_000)
    assert.deepStrictEqual(looks, [30_000, 60_000, 90_000])
    assert.deepStrictEqual(errors, ["scheduling queue"])
  })
})
