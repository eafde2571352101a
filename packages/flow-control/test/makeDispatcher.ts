import type { FlowSchema, PriorityLevelConfiguration, QueuingConfiguration } from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import { Dispatcher } from "../src/Dispatcher.ts"
import type { Place } from "../src/FlowControl.ts"
import { infoOf } from "./infoOf.ts"

const apiVersion = "flowcontrol.apiserver.k8s.io/v1"

export const levelOf = (
  name: string,
  shares: number,
  queuing: QueuingConfiguration | undefined,
  more: object = {}
): PriorityLevelConfiguration => ({
  apiVersion,
  kind: "PriorityLevelConfiguration",
  metadata: { name },
  spec: {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: 0,
      limitResponse: queuing === undefined ? { type: "Reject" } : { type: "Queue", queuing },
      ...more
    }
  }
})

/** A schema for the users of a group of the level's name, who are flows of their own. */
export const schemaOf = (level: string): FlowSchema => ({
  apiVersion,
  kind: "FlowSchema",
  metadata: { name: level },
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: 100,
    distinguisherMethod: { type: "ByUser" },
    rules: [
      {
        subjects: [{ kind: "Group", group: { name: level } }],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }]
      }
    ]
  }
})

export interface SentRequest {
  readonly user: string
  readonly level: string
  place: Place | undefined
  /** How often the dispatcher started the request, and refused it: each test expects a sum of 1. */
  starts: number
  refusals: number
  retryAfter: number
}

/** Makes a dispatcher in virtual time. A request takes `costMs` of the thread when it starts; an `isAsync` one ends when the test calls `place.leave()`. */
export const makeDispatcher = (
  seats: number,
  levels: ReadonlyArray<PriorityLevelConfiguration>,
  schemas: ReadonlyArray<FlowSchema>
) => {
  const time = makeVirtualTime(1_000_000)
  const turns: Array<() => void> = []
  let spentMs = 0
  const timers = { ...time.timers, now: () => time.timers.now() + spentMs }
  const started: Array<SentRequest> = []
  const dispatcher = new Dispatcher({
    seats,
    timers,
    nextTurn: (turn) => turns.push(turn),
    objectCount: () => 0
  })
  dispatcher.configuration.digest(levels, schemas, timers.now())
  const send = (level: string, user: string, costMs: number, isAsync = false): SentRequest => {
    const sent: SentRequest = { user, level, place: undefined, starts: 0, refusals: 0, retryAfter: 0 }
    const question = {
      info: infoOf("GET", "/api/v1/namespaces/default/pods/p"),
      user: { user, groups: [level] },
      waitMs: 15_000,
      listLimit: undefined
    }
    sent.place = dispatcher.enter(question, {
      start: (place) => {
        sent.starts++
        started.push(sent)
        spentMs += costMs
        if (!isAsync) place.leave()
      },
      refuse: (_, seconds) => {
        sent.refusals++
        sent.retryAfter = seconds
      }
    })
    return sent
  }
  return {
    dispatcher,
    /** Requests in the order in which they were started. */
    started,
    send,
    /** Runs the next time slice, if the dispatcher has requested one. */
    turn: () => turns.shift()?.(),
    hasTurn: () => turns.length > 0,
    wait: (ms: number) => time.runUntil(time.timers.now() + ms),
    level: (name: string) => {
      const found = dispatcher.configuration.levels.get(name)
      if (found === undefined) throw new Error(`no level ${name}`)
      return found
    }
  }
}
