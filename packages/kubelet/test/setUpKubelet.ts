import type { PodStatus } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import { makeVirtualTime, type TimersShape } from "@rollcall/time"
import {
  type KubeletModel,
  type KubeletOptions,
  makeModelledHost,
  makeModelledKubelet,
  modelUpstream
} from "../src/index.ts"
import { makeTestLink, TestApi } from "./TestApi.ts"

export const START = 1_767_225_600_000

/** The upstream model without jitter, so that thresholds are whole milliseconds. */
export const modelWithoutJitter: KubeletModel = { ...modelUpstream, leaseJitter: 0, statusJitter: 0, backOffJitter: 0 }

/** Sets up one kubelet `n1`, its link and its API server, in virtual time. */
export const setUpKubelet = (options: Omit<Partial<KubeletOptions>, "runtime"> & { runtime?: RuntimeMaker } = {}) => {
  const time = makeVirtualTime(START)
  const api = new TestApi(time)
  /** The requests of the kubelet, including those that failed on the link. */
  const attempts: Array<{ readonly atMs: number; readonly request: ApiRequest }> = []
  const link = makeTestLink(api.connectionOf("n1"), time.timers, (request) => {
    attempts.push({ atMs: time.timers.now() - START, request })
  })
  const { runtime, ...rest } = options
  let plans = 0
  const planning =
    (plan: TimersShape["at"]): TimersShape["at"] =>
    (ms, callback) => {
      plans++
      return plan(ms, callback)
    }
  const timers: TimersShape = {
    ...time.timers,
    at: planning(time.timers.at),
    after: planning(time.timers.after),
    plan: (timer, timeMs) => {
      plans++
      time.timers.plan(timer, timeMs)
    }
  }
  const host = options.host ?? makeModelledHost({ name: "n1" })
  const kubelet = makeModelledKubelet(timers, {
    name: "n1",
    connection: link.connection,
    model: modelWithoutJitter,
    ...rest,
    host,
    ...(runtime === undefined ? {} : { runtime: runtime(timers) })
  })
  return {
    time,
    /** Those of the kubelet. */
    timers,
    attempts,
    api,
    link,
    kubelet,
    /** Boots the machine, and starts the kubelet on it. */
    boot: () => {
      host.booted()
      kubelet.booted()
      kubelet.startKubelet()
    },
    /** Returns the number of timers that the kubelet and its runtime have set so far. */
    plans: () => plans,
    /** Runs up to and including this many milliseconds after the start. */
    untilMs: (ms: number) => time.runUntil(START + ms),
    /** When requests of a kind were made, in milliseconds after the start. */
    times: (what: string) => api.asked(what).map(({ at }) => at - START),
    /** The pod status in the last patch that was asked for. */
    lastPodStatus: (): PodStatus | undefined => {
      const request = api.asked("patch Pod/status").at(-1)?.request
      return request?.verb === "patch" ? (request.body as { readonly status?: PodStatus }).status : undefined
    }
  }
}

type RuntimeMaker = (timers: TimersShape) => NonNullable<KubeletOptions["runtime"]>
