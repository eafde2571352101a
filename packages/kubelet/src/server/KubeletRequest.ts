import type { KubeletPorts, KubeletStream } from "@rollcall/streams/kubelet"
import type { HealthSlis } from "@rollcall/time"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { Machine } from "../runtime/NodeHost.ts"
import type { Summary } from "../stats/Summary.ts"
import type { LifeCounts } from "../status/LifeCounts.ts"
import type { ServedPod, StreamSource } from "./streams/containerRun.ts"

/** A request to the server of a kubelet. */
export interface KubeletRequest {
  readonly method: string
  /** The decoded, absolute path: `/stats/summary`. */
  readonly path: string
  /** The query parameters, by name. */
  readonly query: ReadonlyMap<string, ReadonlyArray<string>>
  /** Whether it comes from the read-only port, which has nothing for debugging. */
  readonly isReadOnly?: boolean
}

/** A response that is there. */
export interface SettledResponse {
  /** 101 if the client and a container now talk over a stream, or connections to ports. */
  readonly code: number
  /** Empty for none. */
  readonly contentType: string
  /** A stream is the log of a container, or, with code 101, a command in it. */
  readonly body: string | KubeletStream | KubeletPorts
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What a response has in place of its body if it takes its time. */
export interface LaterBody {
  /** Begins; `reply` is called once, at once or later, with the response. Returns what gives it up. */
  readonly later: (reply: (response: SettledResponse) => void) => () => void
}

export interface KubeletResponse extends Omit<SettledResponse, "body"> {
  readonly body: SettledResponse["body"] | LaterBody
}

const noop = () => {}

const isSettled = (response: KubeletResponse): response is SettledResponse =>
  typeof response.body === "string" || !("later" in response.body)

/** Calls `reply` with a response once it is there. Returns what gives it up. */
export const whenAnswered = (response: KubeletResponse, reply: (response: SettledResponse) => void): (() => void) => {
  const { body } = response
  if (typeof body !== "string" && "later" in body) return body.later(reply)
  if (isSettled(response)) reply(response)
  return noop
}

/** The content that a kubelet's server serves. */
export interface KubeletContent {
  readonly nodeName: string
  /** Returns the stats, or an error message of upstream's provider. */
  readonly summary: () => Summary | string
  readonly pods: () => ReadonlyArray<ServedPod>
  readonly machine: () => Machine
  readonly lifeCounts: LifeCounts
  /** Returns `/metrics/probes`. */
  readonly probes: () => string
  readonly config: KubeletConfig
  /** Why the kubelet is not healthy; undefined if it is. */
  readonly problem: () => string | undefined
  /** Counts the checks of its health. */
  readonly slis: () => HealthSlis
  readonly streams: StreamSource
}

/** The answer of one of its paths. */
export type Answer = (content: KubeletContent, query: KubeletRequest["query"], path: string) => KubeletResponse

export const TEXT = "text/plain; charset=utf-8"
/** Prometheus' text format, as promhttp names it. */
export const METRICS = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"

/** A JSON response in go-restful's format, which is indented by one space. */
export const json = (content: unknown): KubeletResponse => ({
  code: 200,
  contentType: "application/json",
  body: JSON.stringify(content, undefined, 1)
})

export const text = (code: number, body: string): SettledResponse => ({ code, contentType: TEXT, body })
